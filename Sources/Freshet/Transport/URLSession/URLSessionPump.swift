#if canImport(Darwin)
import FreshetEssentials
import Synchronization

/// Writes the chunks of a body into a bound pair of streams, on its own queue, when there is space.
///
/// It is `@unchecked Sendable` because the output, the rest and the writer are only used on the serial
/// queue, after the pump was started. The output does not retain its delegate: the task does, and the close after it.
final class URLSessionPump: NSObject, StreamDelegate, @unchecked Sendable {
  private let output: OutputStream
  private let queue = DispatchQueue(label: "freshet.body")
  private let task = Mutex<Task<Void, Never>?>(nil)
  private let waits = Atomic<Bool>(false)
  /// The bytes of the chunk that are not written yet.
  private var rest = Data()
  private var writer: CheckedContinuation<Bool, Never>?

  /// A Boolean value that indicates whether the body's source has nothing to send yet.
  var isWaiting: Bool { waits.load(ordering: .relaxed) }

  private init(_ output: OutputStream) {
    self.output = output
    super.init()
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
    output.delegate = pump
    CFWriteStreamSetDispatchQueue(output as CFWriteStream, pump.queue)
    output.open()
    let task = Task.detached {
      await pump.run(chunks, length: length, url: url, resume: resume, fail: fail)
    }
    pump.task.withLock { $0 = task }
    return (pump, input)
  }

  func close() {
    task.withLock { $0 }?.cancel()
    closeOutput()
  }

  func stream(_ stream: Stream, handle event: Stream.Event) {
    switch event {
    case .hasSpaceAvailable: writeRest()
    case .errorOccurred, .endEncountered: writer.take()?.resume(returning: false)
    default: break
    }
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
    defer {
      note(waiting: false)
      closeOutput()
    }
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
        self.rest = chunk
        self.writer = continuation
        self.writeRest()
      }
    }
  }

  private func writeRest() {
    guard output.streamStatus != .closed, output.streamStatus != .error else {
      writer.take()?.resume(returning: false)
      return
    }
    while writer != nil, output.hasSpaceAvailable {
      let count = rest.withUnsafeBytes { bytes in
        bytes.bindMemory(to: UInt8.self).baseAddress
          .map { output.write($0, maxLength: bytes.count) } ?? 0
      }
      if count > 0 { rest = rest.dropFirst(count) }
      guard count <= 0 || rest.isEmpty else { continue }
      writer.take()?.resume(returning: count > 0)
    }
  }

  private func closeOutput() {
    queue.async {
      self.output.delegate = nil
      self.output.close()
      self.writer.take()?.resume(returning: false)
    }
  }
}
#endif
