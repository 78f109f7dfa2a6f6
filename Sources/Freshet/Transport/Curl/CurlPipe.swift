#if os(Linux)
import Foundation
import Synchronization

/// Brings the chunks of a streamed body to the loop: one waits, one more is in the pump's hands.
///
/// The chunks are made by a task that starts with the first read and is cancelled with the
/// transfer. It holds the mailbox but not the engine, so that a sequence that ignores its
/// cancellation keeps no thread alive.
final class CurlPipe: Sendable {
  enum Reading {
    case bytes(Int)
    case nothing
    case end
    case failed(FreshetError)
  }

  private struct State {
    var task: Task<Void, Never>?
    var chunk = Data()
    var end: Result<Void, FreshetError>?
    var isClosed = false
    var isReaderWaiting = false
    var space: Pause?
  }

  let length: Int64?
  private let url: String
  private let chunks: @Sendable () -> RequestBody.Chunks
  private let state = Mutex(State())

  init(length: Int64?, url: String, chunks: @escaping @Sendable () -> RequestBody.Chunks) {
    self.length = length
    self.url = url
    self.chunks = chunks
  }

  /// The same body from its beginning.
  func again() -> CurlPipe {
    CurlPipe(length: length, url: url, chunks: chunks)
  }

  /// Copies what there is; `wake` is called once there is more after `nothing`.
  func read(
    into buffer: UnsafeMutableRawBufferPointer,
    wake: @escaping @Sendable () -> Void
  ) -> Reading {
    let (reading, space) = state.withLock { state -> (Reading, Pause?) in
      if state.task == nil, !state.isClosed {
        state.task = Task.detached { [self] in await pump(wake) }
      }
      guard state.chunk.isEmpty else {
        let count = min(buffer.count, state.chunk.count)
        state.chunk.copyBytes(to: buffer, count: count)
        state.chunk = state.chunk.dropFirst(count)
        return (.bytes(count), state.chunk.isEmpty ? state.space.take() : nil)
      }
      switch state.end {
      case nil:
        state.isReaderWaiting = true
        return (.nothing, nil)
      case .success: return (.end, nil)
      case .failure(let error): return (.failed(error), nil)
      }
    }
    space?.resume()
    return reading
  }

  /// Ends the pump; nothing is read any more.
  func close() {
    let (task, space) = state.withLock { state in
      state.isClosed = true
      state.chunk = Data()
      return (state.task, state.space.take())
    }
    task?.cancel()
    space?.resume()
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
        guard total == length else { throw broken("more than") }
        // It completes the request, so it waits until the stream has confirmed its end.
        last = chunk
      }
      if let length, total < length { throw broken("fewer than") }
      if let last {
        guard await put(last, wake) else { return }
      }
      finish(.success(()), wake)
    } catch let error as FreshetError {
      finish(.failure(error), wake)
    } catch {
      finish(.failure(.invalidRequest("its body's stream failed: \(error)", url: url)), wake)
    }
  }

  private func broken(_ how: String) -> FreshetError {
    .invalidRequest("its body's stream has \(how) the \(length ?? 0) bytes announced", url: url)
  }

  /// Hands a chunk over as soon as the one before is gone.
  ///
  /// - Returns: Whether anyone reads on.
  private func put(_ chunk: Data, _ wake: @Sendable () -> Void) async -> Bool {
    await withUnsafeContinuation { continuation in
      let waits = state.withLock { state in
        guard !state.isClosed, !state.chunk.isEmpty else { return false }
        state.space = continuation
        return true
      }
      if !waits { continuation.resume() }
    }
    return deliver(wake) { $0.chunk = chunk }
  }

  private func finish(_ end: Result<Void, FreshetError>, _ wake: @Sendable () -> Void) {
    deliver(wake) { $0.end = end }
  }

  @discardableResult
  private func deliver(_ wake: @Sendable () -> Void, _ change: (inout State) -> Void) -> Bool {
    let (isOpen, wakes) = state.withLock { state in
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
