#if canImport(Darwin)
import FreshetEssentials
import Synchronization

/// One request as a task, whose delegate delivers into a bounded state.
///
/// The task is suspended when the window is full, and resumed when the reader has taken the buffered bytes.
final class URLSessionExchange: Exchange {
  let request: Request
  let engine: URLSessionEngine
  let state = Mutex(State())
  private let begin = ContinuousClock.now

  struct State {
    var task: URLSessionTask?
    var pump: URLSessionPump?
    var watch: Task<Void, Never>?
    /// The two directions of a WebSocket, once it is open.
    var link: URLSessionSocketLink?
    var sent: TransferProgress?
    /// The few interim responses that the reader has not taken yet.
    var interim: [ResponseHead] = []
    var interimCount = 0
    var headerCount = 0
    var headerBytes = 0
    var head: ResponseHead?
    var hasHead = false
    var body = Data()
    var received: Int64 = 0
    /// The announced length of a body with a coding.
    var encodedLength: Int64?
    var metrics = TransferMetrics()
    /// A Boolean value that indicates whether nothing of the request has left the device.
    var isUnsent = false
    var end: Result<TransferMetrics, FreshetError>?
    var isPaused = false
    var isOver = false
    var lastActivity = ContinuousClock.now
    var waiter: WaitContinuation?
  }

  init(_ request: Request, engine: URLSessionEngine) {
    self.request = request
    self.engine = engine
  }

  var shownURL: String { Redaction.shown(request.url) }
  var window: Int { max(engine.configuration.window, 16 * 1024) }

  func start() {
    if let problem = URLCheck.problem(with: request.url) ?? request.versionProblem
      ?? request.sessionProblem
    {
      finish(.failure(.invalidRequest(problem, url: shownURL)))
      return
    }
    if let problem = engine.pins.problem(with: request.url) {
      finish(.failure(.insecure(problem, url: shownURL)))
      return
    }
    do throws(FreshetError) {
      try start(message())
    } catch {
      finish(.failure(error))
    }
  }

  private func start(_ message: URLRequest) {
    let task =
      request.messageBytes.map { engine.socketTask(for: message, limit: $0, of: self) }
      ?? engine.task(for: message, of: self)
    task.priority = request.priority.share
    let hasFailed = state.withLock { state in
      // The source of the body may have failed already.
      guard state.end == nil else { return true }
      state.task = task
      state.watch = makeWatch()
      return false
    }
    if hasFailed { task.cancel() }
    task.resume()
  }

  /// Returns the request for `URLSession`, with the stream of a body from a file or a stream.
  private func message() throws(FreshetError) -> URLRequest {
    var message = request.message(userAgent: engine.configuration.userAgent)
    guard request.messageBytes == nil, let body = request.body, body.bytes == nil else {
      return message
    }
    // Even an empty one would fail a GET.
    if request.method == .get, body.length == 0 { return message }
    // Refuses directories and pipes as well.
    if case .file = body.source, let length = try body.currentLength() {
      message.setValue(String(length), forHTTPHeaderField: "Content-Length")
    }
    guard let stream = bodyStream() else {
      throw .connection(.other("its body cannot be read as a stream"), url: shownURL)
    }
    message.httpBodyStream = stream
    return message
  }

  /// Makes the task that ends the exchange at its deadline.
  func makeWatch() -> Task<Void, Never> {
    let me: @Sendable () -> URLSessionExchange? = { [weak self] in self }
    return Task.detached { [timeouts = request.timeouts, begin = begin] in
      await URLSessionExchange.watch(me, timeouts, since: begin)
    }
  }
}

// MARK: - Reader

extension URLSessionExchange {
  nonisolated(nonsending) func next() async throws(FreshetError) -> TransferEvent? {
    while true {
      if Task.isCancelled { cancel() }
      let (step, suspended) = state.withLock { $0.take() }
      suspended?.resume()
      state.withLock { $0.link?.waits(for: $0.body.count) }
      if let step { return try step.get() }
      await news()
    }
  }

  func cancel() {
    let (waiter, cancelWork) = state.withLock {
      state -> (WaitContinuation?, (@Sendable () -> Void)?) in
      guard !state.isOver else { return (nil, nil) }
      (state.sent, state.interim, state.head, state.body) = (nil, [], nil, Data())
      state.end = .failure(.cancelled)
      return (state.waiter.take(), state.takeWork())
    }
    waiter?.resume()
    cancelWork?()
  }

  private nonisolated(nonsending) func news() async {
    await withCancellableContinuation { continuation in
      state.withLock { state -> Void? in
        guard !state.hasNews else { return () }
        state.waiter = continuation
        return nil
      }
    } onCancel: {
      cancel()
    }
  }
}

// MARK: - State

extension URLSessionExchange.State {
  var hasNews: Bool {
    sent != nil || !interim.isEmpty || head != nil || !body.isEmpty || end != nil
  }

  /// Returns what the reader gets, or `nil` if it has to wait, and a suspended task to resume.
  mutating func take() -> (Result<TransferEvent?, FreshetError>?, URLSessionTask?) {
    if isOver { return (.success(nil), nil) }
    if let progress = sent.take() { return (.success(.sent(progress)), nil) }
    if !interim.isEmpty { return (.success(.interim(interim.removeFirst())), nil) }
    if let head = head.take() { return (.success(.head(head)), nil) }
    if !body.isEmpty {
      defer { body = Data() }
      let suspended = isPaused ? task : nil
      isPaused = false
      lastActivity = .now
      return (.success(.body(body)), suspended)
    }
    isOver = end != nil
    return (end?.map { .finished($0) }, nil)
  }

  /// Takes what works for the exchange, and returns a closure that cancels all of it.
  ///
  /// The closure runs the cancellation handlers of the body's source, which may cancel the exchange:
  /// no lock may be held.
  mutating func takeWork() -> @Sendable () -> Void {
    let (task, pump, link, watch) = (task.take(), pump.take(), link.take(), watch.take())
    return {
      task?.cancel()
      pump?.close()
      link?.close()
      watch?.cancel()
    }
  }
}
#endif
