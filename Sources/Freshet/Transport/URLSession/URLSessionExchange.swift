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
    var isCancelled = false
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
      switch step {
      case .event(let event): return event
      case .failed(let error): throw error
      case .over: return nil
      case .nothing: await news()
      }
    }
  }

  func cancel() {
    let (waiter, work) = state.withLock { state -> (WaitContinuation?, Work?) in
      guard !state.isOver, !state.isCancelled else { return (nil, nil) }
      state.isCancelled = true
      return (state.waiter.take(), state.takeWork())
    }
    waiter?.resume()
    work?.cancel()
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
  enum Step {
    case event(TransferEvent)
    case failed(FreshetError)
    case over
    case nothing
  }

  var hasNews: Bool {
    sent != nil || !interim.isEmpty || head != nil || !body.isEmpty || end != nil || isCancelled
      || isOver
  }

  /// Returns the next step, and a suspended task to resume.
  mutating func take() -> (Step, URLSessionTask?) {
    if isOver { return (.over, nil) }
    if isCancelled {
      isOver = true
      return (.failed(.cancelled), nil)
    }
    if let progress = sent.take() { return (.event(.sent(progress)), nil) }
    if !interim.isEmpty { return (.event(.interim(interim.removeFirst())), nil) }
    if let head = head.take() { return (.event(.head(head)), nil) }
    if !body.isEmpty {
      defer { body = Data() }
      let suspended = isPaused ? task : nil
      isPaused = false
      lastActivity = .now
      return (.event(.body(body)), suspended)
    }
    guard let end else { return (.nothing, nil) }
    isOver = true
    switch end {
    case .success(let metrics): return (.event(.finished(metrics)), nil)
    case .failure(let error): return (.failed(error), nil)
    }
  }

  /// Takes what works for the exchange, to be cancelled without the lock.
  mutating func takeWork() -> URLSessionExchange.Work {
    URLSessionExchange.Work(
      task: task.take(),
      pump: pump.take(),
      link: link.take(),
      watch: watch.take()
    )
  }
}

extension URLSessionExchange {
  /// The task of an exchange, and everything that works for it.
  struct Work: Sendable {
    let task: URLSessionTask?
    let pump: URLSessionPump?
    let link: URLSessionSocketLink?
    let watch: Task<Void, Never>?

    /// Cancels all of it.
    ///
    /// This runs the cancellation handlers of the body's source, which may cancel the exchange: no
    /// lock may be held.
    func cancel() {
      task?.cancel()
      pump?.close()
      link?.close()
      watch?.cancel()
    }
  }
}
#endif
