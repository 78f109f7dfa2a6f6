#if !canImport(Darwin)
import FreshetEssentials
import Synchronization

/// The reader's side of one request on the loop.
///
/// The loop delivers into the state and collects the exchanges whose readers wait. The reader takes what is
/// available, in the order progress, interim heads, head, body, end, and only waits when there is nothing.
final class CurlExchange: Exchange {
  let request: Request
  let id: Int
  let url: CurlURL
  let fields: CurlFields
  let body: CurlBody?
  /// Retains the engine, which keeps the loop running.
  private let engine: CurlEngine
  /// The way to the loop that runs the exchange, once it has begun.
  private let mailbox = LazyReference<CurlMailbox>()
  private let window: Int
  private let state = Mutex(State())

  struct State: ~Copyable {
    var sent: TransferProgress?
    /// The few interim responses that the reader has not taken yet.
    var interim: [[UInt8]] = []
    var head: [UInt8]?
    var hasHead = false
    var body = CurlBodyBuffer()
    var end: Result<TransferMetrics, FreshetError>?
    /// A Boolean value that indicates whether there is an end.
    ///
    /// `end` is large, and comparing it with `nil` would copy it.
    var hasEnd = false
    var isPaused = false
    var isOver = false
    var isCancelled = false
    var isScheduled = false
    var waiter: UnsafeContinuation<Bool, Never>?
  }

  init(_ request: Request, id: Int, engine: CurlEngine) {
    self.request = request
    self.id = id
    self.engine = engine
    window = engine.configuration.usedWindow
    url = CurlURL(request.url)
    fields = CurlFields(
      request,
      isDirect: engine.isDirect,
      userAgent: engine.configuration.userAgent
    )
    do {
      body = try CurlBody(request)
    } catch {
      body = nil
      finish(.failure(error))
    }
  }

  deinit {
    if mailbox.load() != nil { engine.leave(self) }
  }

  /// Begins on a loop, which may have to be woken.
  func begin(at mailbox: CurlMailbox) -> CurlMailbox.Addition {
    let addition = self.mailbox.storeIfNil(mailbox).add(.start(self))
    if case .refused = addition { finish(.failure(failureOfLoop)) }
    return addition
  }

  /// The error of an exchange whose loop has failed.
  var failureOfLoop: FreshetError {
    .connection(.other("the event loop failed; send the request again"), url: shownURL)
  }

  var shownURL: String { Redaction.shown(request.url) }

  /// A Boolean value that indicates whether the exchange has neither ended nor been cancelled.
  var isOpen: Bool { state.withLock { !$0.hasEnd && !$0.isCancelled } }
}

// MARK: - Reader

extension CurlExchange {
  func nextNow() throws(FreshetError) -> TransferEvent? {
    if Task.isCancelled { cancel() }
    while true {
      let (step, resumes) = state.withLock { $0.take() }
      if resumes { mailbox.load()?.post(.resume(id)) }
      switch step {
      case .event(let event): return event
      case .head(let bytes): return .head(try head(bytes))
      case .interim(let bytes):
        if let head = CurlHead.parse(bytes, url: request.url) { return .interim(head) }
      case .failed(let error): throw error
      case .nothing: return nil
      }
    }
  }

  nonisolated(nonsending) func next() async throws(FreshetError) -> TransferEvent? {
    repeat {
      if let event = try nextNow() { return event }
    } while await hasNews()
    return nil
  }

  /// Cancels the exchange; has no effect after its end.
  func cancel() {
    let (isNew, waiter) = state.withLock { state -> (Bool, UnsafeContinuation<Bool, Never>?) in
      guard !state.isOver, !state.isCancelled else { return (false, nil) }
      state.isCancelled = true
      state.body.removeAll()
      return (!state.hasEnd, state.waiter.take())
    }
    waiter?.resume(returning: true)
    if isNew { mailbox.load()?.post(.cancel(id)) }
  }

  /// Waits until there is something to take.
  ///
  /// - Returns: `false` at once if the end has been taken.
  private nonisolated(nonsending) func hasNews() async -> Bool {
    await withCancellableContinuation { continuation in
      state.withLock { state -> Bool? in
        guard !state.hasNews else { return !state.isOver }
        state.waiter = continuation
        return nil
      }
    } onCancel: {
      cancel()
    }
  }

  private func head(_ bytes: [UInt8]) throws(FreshetError) -> ResponseHead {
    guard var head = CurlHead.parse(bytes, url: request.url) else {
      cancel()
      state.withLock { $0.isOver = true }
      throw .invalidResponse("it has no status line", url: shownURL)
    }
    // A coding that ends with the connection belongs to the connection, not to the content.
    if head.headers.members(of: .transferEncoding)
      .contains(where: { TransferCoding.isUnknown(ASCII.lowercased($0)) })
    {
      head.headers.remove(.transferEncoding)
    }
    return head
  }
}

// MARK: - Loop

extension CurlExchange {
  /// Delivers a chunk of the body; with `insists`, it is accepted even if the buffer is full.
  ///
  /// - Returns: The reader's demand, and a Boolean value that indicates whether it has to be woken.
  func receive(_ chunk: UnsafeRawBufferPointer, insists: Bool) -> (BodyDemand, wakes: Bool) {
    state.withLock { state in
      guard !state.isCancelled else { return (.more, false) }
      let fits = state.body.count == 0 || state.body.count + chunk.count <= window
      if !fits { state.isPaused = true }
      guard fits || insists else { return (.pause, false) }
      guard state.body.append(chunk) else { return (.none, false) }
      return (fits ? .more : .pause, state.schedule())
    }
  }

  /// Delivers the lines of an interim response.
  func receive(interim head: [UInt8]) -> Bool {
    state.withLock { state in
      state.interim.append(head)
      return state.schedule()
    }
  }

  /// Delivers the lines of the head.
  func receive(head: [UInt8]) -> Bool {
    state.withLock { state in
      state.head = head
      state.hasHead = true
      return state.schedule()
    }
  }

  /// Delivers the progress of the request's body; it is not reported any more after the head.
  func receive(sent: TransferProgress) -> Bool {
    state.withLock { state in
      guard !state.hasHead else { return false }
      state.sent = sent
      return state.schedule()
    }
  }

  /// Delivers the end, unless there is one already.
  @discardableResult
  func finish(_ end: Result<TransferMetrics, FreshetError>) -> Bool {
    state.withLock { state in
      if !state.hasEnd {
        state.end = end
        state.hasEnd = true
      }
      state.isPaused = false
      return state.schedule()
    }
  }

  /// Wakes the reader.
  func wake() {
    let waiter = state.withLock { state in
      state.isScheduled = false
      return state.waiter.take()
    }
    waiter?.resume(returning: true)
  }
}

// MARK: - State

extension CurlExchange.State {
  enum Step {
    case event(TransferEvent)
    case interim([UInt8])
    case head([UInt8])
    case failed(FreshetError)
    case nothing
  }

  var hasNews: Bool {
    sent != nil || head != nil || !interim.isEmpty || body.count > 0 || hasEnd || isCancelled
      || isOver
  }

  /// Returns whether a reader has to be woken; one that will be woken already does not count.
  mutating func schedule() -> Bool {
    guard waiter != nil, !isScheduled else { return false }
    isScheduled = true
    return true
  }

  /// Returns the reader's next step, and whether the loop may resume receiving.
  mutating func take() -> (Step, resumes: Bool) {
    if isOver { return (.nothing, false) }
    if isCancelled {
      isOver = true
      return (.failed(.cancelled), false)
    }
    if let progress = sent.take() { return (.event(.sent(progress)), false) }
    if !interim.isEmpty { return (.interim(interim.removeFirst()), false) }
    if let bytes = head.take() { return (.head(bytes), false) }
    if body.count > 0 {
      defer { isPaused = false }
      return (.event(.body(body.take())), isPaused)
    }
    guard hasEnd, let end = end.take() else { return (.nothing, false) }
    isOver = true
    switch end {
    case .success(let metrics): return (.event(.finished(metrics)), false)
    case .failure(let error): return (.failed(error), false)
    }
  }
}
#endif
