#if canImport(Darwin)
import FreshetEssentials
import Synchronization

/// Writes the chunks of a body into a bound pair of streams, on its own queue.
///
/// It is `@unchecked Sendable` because the output is only used on the serial queue, after the initialiser.
final class URLSessionPump: @unchecked Sendable {
  private let output: OutputStream
  private let queue = DispatchQueue(label: "freshet.body")
  private let task = Mutex<Task<Void, Never>?>(nil)
  private let waits = Atomic<Bool>(false)

  /// A Boolean value that indicates whether the body's source has nothing to send yet.
  var isWaiting: Bool { waits.load(ordering: .relaxed) }

  private init(_ output: OutputStream) {
    self.output = output
  }

  static func start(
    _ chunks: @escaping @Sendable () -> RequestBody.Chunks,
    length: Int64?,
    url: String,
    resume: @escaping @Sendable () -> Void,
    fail: @escaping @Sendable (FreshetError) -> Void
  ) -> (URLSessionPump?, InputStream?) {
    var input: InputStream?
    var output: OutputStream?
    Stream.getBoundStreams(withBufferSize: 64 * 1024, inputStream: &input, outputStream: &output)
    guard let input, let output else { return (nil, nil) }
    let pump = URLSessionPump(output)
    output.open()
    let task = Task.detached {
      await pump.run(chunks, length: length, url: url, resume: resume, fail: fail)
    }
    pump.task.withLock { $0 = task }
    return (pump, input)
  }

  func close() {
    task.withLock { $0 }?.cancel()
    // A write that waits for space ends with the cancelled task.
    queue.async { self.output.close() }
  }

  private func run(
    _ chunks: @Sendable () -> RequestBody.Chunks,
    length: Int64?,
    url: String,
    resume: @Sendable () -> Void,
    fail: @Sendable (FreshetError) -> Void
  ) async {
    /// Notes that the source has nothing to send, or that it has.
    func note(waiting isWaiting: Bool) {
      if !isWaiting { resume() }
      waits.store(isWaiting, ordering: .relaxed)
    }
    defer { note(waiting: false) }
    do {
      var total: Int64 = 0
      note(waiting: true)
      for try await chunk in chunks() where !chunk.isEmpty {
        note(waiting: false)
        defer { note(waiting: true) }
        total += Int64(chunk.count)
        if let length, total > length { break }
        guard await write(chunk) else { return }
      }
      if let length, total != length {
        throw FreshetError.invalidRequest("its body's stream is not \(length) bytes long", url: url)
      }
      queue.async { self.output.close() }
    } catch let error as FreshetError {
      fail(error)
    } catch {
      fail(.invalidRequest("its body's stream failed with \(type(of: error))", url: url))
    }
  }

  /// Writes a chunk as space becomes available; returns whether it was written.
  private func write(_ chunk: Data) async -> Bool {
    await withCheckedContinuation { continuation in
      queue.async {
        let isWritten = chunk.withUnsafeBytes { bytes in
          var rest = bytes[...]
          while !rest.isEmpty {
            let part = UnsafeRawBufferPointer(rebasing: rest)
            guard let start = part.bindMemory(to: UInt8.self).baseAddress else { return false }
            let count = self.output.write(start, maxLength: part.count)
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
          }
          return true
        }
        continuation.resume(returning: isWritten)
      }
    }
  }
}
#endif
