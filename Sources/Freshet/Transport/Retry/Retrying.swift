public import FreshetEssentials

extension Transport {
  /// Retries requests after temporary failures.
  ///
  /// - ``RetryPolicy`` decides whether to retry, when an attempt fails before its head or when the head
  ///   arrives. Nothing is retried once the head was delivered: the caller never gets two heads.
  /// - For calls that collect their response, such as ``Client/send(_:limit:)``, the head and a
  ///   body of up to 256 KiB are delivered when they are complete, so that a body that is lost on
  ///   the way is retried too. For fetches of resources this applies to bodies that cannot be
  ///   resumed: without a strong validator, or with a content coding. Streamed and longer bodies
  ///   are not, nor those behind a `Retry-After`, nor the answers to unsafe requests without an
  ///   `Idempotency-Key`: these have changed something already.
  /// - Each retry is announced by ``TransferEvent/retrying(attempt:after:because:)``; `sent` and
  ///   `redirected` may be repeated after it.
  /// - Without a further attempt, the caller gets the last outcome unchanged: the response with its
  ///   status, or the error.
  /// - ``Request/Timeouts/total`` covers all attempts and the pauses between them.
  /// - Cancelling the task ends a pause immediately, and a cancellation is never retried.
  ///
  /// - Parameters:
  ///   - policy: The policy for retries; ``RetryPolicy/standard`` by default.
  ///   - clock: The clock that measures pauses.
  ///   - generator: The generator for jitter and keys.
  ///   - now: A closure that returns the time that `Retry-After` is compared with; the system's by default.
  /// - Returns: A transport with its own retry budget, which its copies share.
  public func retrying(
    _ policy: RetryPolicy = .standard,
    clock: any Clock<Duration> = ContinuousClock(),
    generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
    now: @escaping @Sendable () -> Date = { Date() }
  ) -> some Transport {
    RetryingTransport(
      base: self,
      policy: policy,
      clock: CallClock(clock),
      generator: SharedGenerator(generator),
      now: now,
      accounts: policy.budget.map(RetryAccounts.init)
    )
  }
}

struct RetryingTransport: TransportDecorator {
  let base: any Transport
  let policy: RetryPolicy
  let clock: CallClock
  let generator: SharedGenerator
  let now: @Sendable () -> Date
  let accounts: RetryAccounts?
  /// A Boolean value that indicates whether inner transports leave retrying to this one.
  var isDecisive = false

  func send(_ request: Request) -> Transfer {
    guard !request.hasOwnRetries else { return base.send(request) }
    return Transfer(resolved: request) { Attempts(request: request, transport: self) }
  }
}

extension RetryingTransport {
  /// The attempts of one call.
  final class Attempts: AsyncIteratorProtocol {
    private var request: Request
    private let transport: RetryingTransport
    private var attempt = 0
    private let timer: CallTimer
    private var events: Transfer.Iterator?
    /// The time at which the next attempt begins.
    private var pause: Duration?
    /// A Boolean value that indicates whether the response is final, and its delivery has begun.
    private var isAnswered = false
    /// A Boolean value that indicates whether the budget of the host has prevented another attempt.
    private var isOverBudget = false
    /// The events of a response that is buffered, so that the request can be retried if its body is
    /// lost.
    private var held: ArraySlice<TransferEvent> = []
    /// The size of the buffered body.
    private var heldByteCount = 0
    /// The end of a response that broke off, behind what is buffered of it.
    private var failure: FreshetError?
    /// The largest body that is buffered, in bytes; a larger one is delivered as it arrives.
    private static let holdingLimit = 256 << 10

    init(request: Request, transport: RetryingTransport) {
      self.request = request.scoped
      self.transport = transport
      timer = CallTimer(self.request, by: transport.clock)
    }

    func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> TransferEvent? {
      if isAnswered {
        if let event = held.popFirst() { return event }
        if let failure = failure.take() { throw failure }
      }
      if let pause = pause.take() {
        try await request.waiting { [clock = transport.clock] () async throws(FreshetError) in
          try await clock.sleep(until: pause)
        }
      }
      if events == nil { try begin() }
      while true {
        var event: TransferEvent?
        do {
          event = try await events?.next(isolation: actor)
        } catch {
          if let retry = retry(after: .failed(error)) { return retry }
          // Who looks at heads only, as stores do, sees that of a response that breaks off.
          guard !isAnswered, let event = held.popFirst() else { throw error }
          (isAnswered, failure) = (true, error)
          return event
        }
        guard !isAnswered else { return event }
        if case .head(let head) = event {
          if let retry = retry(after: .answered(head)) {
            try await events?.leave(after: head)
            events = nil
            return retry
          }
          event = .head(explained(head))
          isAnswered = !mayHold(head)
        }
        if let event = pass(event) { return event }
        if event == nil { return nil }
      }
    }

    /// Returns the event, or the first of the buffered ones; `nil` if the event was buffered.
    private func pass(_ event: TransferEvent?) -> TransferEvent? {
      if case .head = event {
        guard !isAnswered else { return event }
      } else if held.isEmpty {
        return event
      }
      if let event { held.append(event) }
      if case .head = event { return nil }
      if case .body(let chunk) = event {
        heldByteCount += chunk.count
        if heldByteCount <= Self.holdingLimit { return nil }
      }
      isAnswered = true
      return held.popFirst()
    }
  }
}

extension RetryingTransport.Attempts {
  private func begin() throws(FreshetError) {
    attempt += 1
    if attempt == 1 {
      transport.policy.addKey(transport.generator.uuid(), to: &request)
      if let host = URLOrigin(request.url) {
        transport.accounts?.deposit(for: host, now: transport.clock.now)
      }
    }
    var request = try timer.remaining(of: request)
    request.hasOwnRetries = transport.isDecisive
    events = transport.base.send(request).makeAsyncIterator()
  }

  /// Decides, and prepares the next attempt if there is one.
  private func retry(after outcome: RetryPolicy.Outcome) -> TransferEvent? {
    guard !isAnswered, !Task.isCancelled else { return nil }
    let now = transport.clock.now
    let decision = transport.policy.decision(
      for: request,
      attempt: attempt,
      outcome: outcome,
      elapsed: timer.elapsed,
      now: transport.now(),
      jitter: transport.generator.fraction()
    )
    guard case .after(let delay) = decision else { return nil }
    isOverBudget = !isWithinBudget(now)
    guard !isOverBudget else { return nil }
    pause = now + delay
    (held, heldByteCount) = ([], 0)
    if case .failed(let error) = outcome {
      events = nil
      // The transport has sent it on a kept connection and on a new one.
      if case .timedOut(.firstByte, _) = error { request.wantsNewConnection = true }
    }
    return .retrying(attempt: attempt + 1, after: delay, because: outcome.reason)
  }

  /// Returns the head with the reason why there is no further attempt, if that is the budget.
  private func explained(_ head: ResponseHead) -> ResponseHead {
    guard isOverBudget else { return head }
    var head = head
    head.notes.notRetried = "the budget of retries for the host is used up"
    return head
  }

  /// Returns whether the response is buffered.
  ///
  /// That is the case if the caller does not read it as it arrives, and cannot resume it, if it is
  /// small, and another attempt is possible: not of a request that has changed something, which is
  /// answered by its head, and not before a pause for which the server asks.
  private func mayHold(_ head: ResponseHead) -> Bool {
    mayWait(for: head) && attempt <= transport.policy.maximumRetries
      && transport.policy.mayRepeat(request)
      && (!request.isUnsafe || request.headers.contains(.idempotencyKey))
      && head.retryAfter(now: transport.now()) == nil
      && head.decodedLength ?? 0 <= Int64(Self.holdingLimit)
  }

  private func mayWait(for head: ResponseHead) -> Bool {
    switch request.reading {
    case .streamed: false
    case .collected: true
    case .fetched:
      head.status == .ok && !Resumption.mayResume(request, head, receivedAt: transport.now())
    }
  }

  private func isWithinBudget(_ now: Duration) -> Bool {
    guard let accounts = transport.accounts, let host = URLOrigin(request.url) else { return true }
    return accounts.withdraw(for: host, now: now)
  }
}
