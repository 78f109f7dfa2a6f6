#if !canImport(Darwin)
import FreshetEssentials

/// Passes the chunks of a streamed body to the loop: one is buffered, one more waits in the producing task.
///
/// The task starts with the first read and is cancelled with the transfer. It retains the mailbox but
/// not the engine, so that a sequence that ignores cancellation does not keep the loop thread alive.
final class CurlPipe: Sendable {
  enum Reading {
    case bytes(Int)
    case nothing
    case end
    case failed(FreshetError)
  }

  private struct State: Sendable {
    var task: Task<Void, Never>?
    var chunk = Data()
    var end: Result<Void, FreshetError>?
    var isClosed = false
    var isReaderWaiting = false
  }

  let length: Int64?
  private let url: String
  private let chunks: @Sendable () -> RequestBody.Chunks
  private let state = Watched(State())

  init(length: Int64?, url: String, chunks: @escaping @Sendable () -> RequestBody.Chunks) {
    self.length = length
    self.url = url
    self.chunks = chunks
  }

  /// Returns a pipe that produces the same body from its beginning.
  func again() -> CurlPipe {
    CurlPipe(length: length, url: url, chunks: chunks)
  }

  /// Copies the available bytes.
  ///
  /// - Parameters:
  ///   - buffer: The destination.
  ///   - wake: A closure that is called when bytes are available again after `nothing`.
  /// - Returns: The number of bytes, or the reason why there are none.
  func read(
    into buffer: UnsafeMutableRawBufferPointer,
    wake: @escaping @Sendable () -> Void
  ) -> Reading {
    state.update { state in
      if state.task == nil, !state.isClosed {
        state.task = Task.detached { [self] in await pump(wake) }
      }
      guard state.chunk.isEmpty else {
        let count = min(buffer.count, state.chunk.count)
        state.chunk.copyBytes(to: buffer, count: count)
        state.chunk = state.chunk.dropFirst(count)
        return .bytes(count)
      }
      switch state.end {
      case nil:
        state.isReaderWaiting = true
        return .nothing
      case .success: return .end
      case .failure(let error): return .failed(error)
      }
    }
  }

  /// Cancels the producing task and discards what was not read.
  func close() {
    let task = state.update { state in
      state.isClosed = true
      state.chunk = Data()
      return state.task
    }
    task?.cancel()
  }
}

// MARK: - Pump

extension CurlPipe {
  private func pump(_ wake: @Sendable () -> Void) async {
    do {
      var total: Int64 = 0
      var last: Data?
      for try await chunk in chunks() where !chunk.isEmpty {
        total += Int64(chunk.count)
        guard let length, total >= length else {
          guard await put(chunk, wake) else { return }
          continue
        }
        guard total == length else { throw broken("more") }
        // The last chunk completes the request, so it waits until the stream has confirmed its end.
        last = chunk
      }
      if let length, total < length { throw broken("fewer") }
      if let last {
        guard await put(last, wake) else { return }
      }
      finish(.success(()), wake)
    } catch let error as FreshetError {
      finish(.failure(error), wake)
    } catch {
      let reason = "the stream of its body failed with \(type(of: error))"
      finish(.failure(.invalidRequest(reason, url: url)), wake)
    }
  }

  private func broken(_ how: String) -> FreshetError {
    .invalidRequest(
      "the stream of its body has \(how) bytes than its length of \(length ?? 0)",
      url: url
    )
  }

  /// Passes a chunk on as soon as the previous one has been read.
  ///
  /// - Returns: A Boolean value that indicates whether the pipe is still open.
  private func put(_ chunk: Data, _ wake: @Sendable () -> Void) async -> Bool {
    await state.wait { $0.isClosed || $0.chunk.isEmpty }
    return deliver(wake) { $0.chunk = chunk }
  }

  private func finish(_ end: Result<Void, FreshetError>, _ wake: @Sendable () -> Void) {
    deliver(wake) { $0.end = end }
  }

  @discardableResult
  private func deliver(_ wake: @Sendable () -> Void, _ change: (inout State) -> Void) -> Bool {
    let (isOpen, wakes) = state.update { state in
      guard !state.isClosed else { return (false, false) }
      change(&state)
      defer { state.isReaderWaiting = false }
      return (true, state.isReaderWaiting)
    }
    if wakes { wake() }
    return isOpen
  }
}
#endif
