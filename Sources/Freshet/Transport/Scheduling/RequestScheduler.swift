import Synchronization

/// Decides which requests are sent, and in which order.
///
/// - Waiting requests are sent by priority; among equals, the oldest is first.
/// - A request that has waited for ``RequestLimits/patience`` ranks one priority higher: no request is
///   overtaken by one that came more than twice that time later.
/// - Low-priority requests, such as prefetching, give way: while there are others, only
///   ``RequestLimits/background`` of them run, in addition to those that have waited for the patience.
///   Running requests are never interrupted.
/// - Waiting counts towards ``Request/Timeouts/total``, and ends immediately when the task is cancelled.
/// - Responses from a store do not wait.
///
/// Copies of a client share its scheduler. Clients and transports with the same scheduler share its limits.
///
/// ```swift
/// let scheduler = RequestScheduler { $0.perHost = 6 }
/// let client = Client { $0.scheduler = scheduler }
/// scheduler.setPriority(.high, tagged: "screen")
/// ```
public final class RequestScheduler: Sendable {
  /// The limits of the scheduler.
  public let limits: RequestLimits

  private let clock: CallClock
  private let guarded: Mutex<Guarded>

  /// Creates a scheduler.
  ///
  /// - Parameters:
  ///   - clock: The clock that measures rates, waiting times and deadlines; the system's by default.
  ///   - configure: A closure that changes the default limits.
  public init(
    clock: any Clock<Duration> = ContinuousClock(),
    _ configure: (inout RequestLimits) -> Void = { _ in }
  ) {
    var limits = RequestLimits()
    configure(&limits)
    self.limits = limits
    self.clock = CallClock(clock)
    guarded = Mutex(Guarded(state: State(limits)))
  }

  /// The number of waiting requests.
  public var waitingCount: Int { guarded.withLock(\.state.waitingCount) }
  /// The number of running requests.
  public var runningCount: Int { guarded.withLock(\.state.runningCount) }

  /// Changes the priority of the waiting requests that have a tag, see ``Request/tags``.
  ///
  /// Their waiting times are kept. Later requests are not affected.
  public func setPriority(_ priority: Request.Priority, tagged tag: String) {
    update { $0.state.reprioritize(tagged: tag, to: priority) }
  }
}

// MARK: - Turns

extension RequestScheduler {
  /// A permit to run, which is returned once.
  struct Permit: Sendable {
    fileprivate let scheduler: RequestScheduler
    fileprivate let admission: State.Admission

    func end() {
      scheduler.leave(admission)
    }
  }

  fileprivate typealias State = SchedulerState<Void>

  /// Returns a permit; `nil` if the request has to wait.
  func enter(_ request: Request) -> Permit? {
    let host = request.host
    let priority = Request.Priority.current?.value ?? request.priority
    let now = limits.rate == nil ? .zero : clock.now
    let admission = guarded.withLock { $0.state.enter(host: host, priority: priority, now: now) }
    return admission.map { Permit(scheduler: self, admission: $0) }
  }

  /// Waits for a permit, and subtracts the waiting time from the request's total timeout.
  ///
  /// - Returns: The permit; `nil` for the renewal of a credential and for a signature, which run
  ///   without one, because the requests that wait for them may hold all permits.
  /// - Throws: ``FreshetError/cancelled`` as soon as the task is cancelled, and
  ///   ``FreshetError/timedOut(_:url:)`` when the request has no time left.
  func wait(_ request: inout Request) async throws(FreshetError) -> Permit? {
    if Authenticator.isRenewingOrSigning { return nil }
    let began = clock.now
    let urgency = Request.Priority.current
    let id = enqueue(request, urgency?.value ?? request.priority, now: began)
    let observer = urgency?.observe { [self] new in update { $0.state.reprioritize(id, to: new) } }
    let alarm = request.timeouts.total.map { total in
      Task { [weak self, clock] in
        // A cancelled sleep means that the request no longer waits.
        guard (try? await clock.sleep(until: began + total)) != nil else { return }
        self?.dismiss(id, .late)
      }
    }
    let ending = request.call?.onCancel { [weak self] in self?.dismiss(id, .cancelled) }
    var outcome = await outcome(of: id)
    if let ending { request.call?.forget(ending) }
    alarm?.cancel()
    if let observer { urgency?.forget(observer) }
    if let total = request.timeouts.total {
      let left = began + total - clock.now
      request.timeouts.total = left
      if case .admitted(let admission) = outcome, left <= .zero {
        leave(admission)
        outcome = .late
      }
    }
    // It may have been cancelled since it was admitted.
    if case .admitted(let admission) = outcome,
      Task.isCancelled || request.call?.isCancelled == true
    {
      leave(admission)
      outcome = .cancelled
    }
    switch outcome {
    case .admitted(let admission): return Permit(scheduler: self, admission: admission)
    case .cancelled: throw .cancelled
    case .late: throw .timedOut(.total, url: Redaction.shown(request.url))
    }
  }

  private func leave(_ admission: State.Admission) {
    update { $0.state.leave(admission) }
  }
}

// MARK: - Waiting

extension RequestScheduler {
  /// The outcome of waiting.
  private enum Outcome {
    case admitted(State.Admission)
    case cancelled, late
  }

  /// An unchecked continuation, see ``WaitContinuation``.
  private typealias Waiter = UnsafeContinuation<Outcome, Never>

  private struct Guarded: Sendable {
    var state: State
    var waiters: [Int: Waiter] = [:]
    /// The outcomes of requests that have not suspended yet.
    var early: [Int: Outcome] = [:]
    var nextID = 0
    /// The time at which the next request may run without a change, and the task that waits for it.
    var alarm: (moment: Duration, task: Task<Void, Never>)?

    /// Admits all requests that may run, and returns the suspended ones among them.
    mutating func admit(now: Duration) -> [(Waiter, State.Admission)] {
      var woken: [(Waiter, State.Admission)] = []
      while let (id, _, admission) = state.admit(now: now) {
        if let waiter = waiters.removeValue(forKey: id) {
          woken.append((waiter, admission))
        } else {
          early[id] = .admitted(admission)
        }
      }
      return woken
    }
  }

  private func enqueue(_ request: Request, _ priority: Request.Priority, now: Duration) -> Int {
    let host = request.host
    return update { guarded in
      let id = guarded.nextID
      guarded.nextID += 1
      guarded.state.enqueue(id, (), host: host, priority: priority, tags: request.tags, now: now)
      return id
    }
  }

  private func outcome(of id: Int) async -> Outcome {
    await withCancellableContinuation { waiter in
      guarded.withLock { guarded in
        let early = guarded.early.removeValue(forKey: id)
        if early == nil { guarded.waiters[id] = waiter }
        return early
      }
    } onCancel: {
      dismiss(id, .cancelled)
    }
  }

  /// Removes a waiting request with an outcome, unless it has been admitted.
  private func dismiss(_ id: Int, _ outcome: Outcome) {
    let waiter = update { guarded -> Waiter? in
      guard guarded.state.withdraw(id) else { return nil }
      let waiter = guarded.waiters.removeValue(forKey: id)
      if waiter == nil { guarded.early[id] = outcome }
      return waiter
    }
    waiter?.resume(returning: outcome)
  }

  /// Changes the guarded state, and resumes all requests that may run after that.
  private func update<Value: Sendable>(_ body: (inout Guarded) -> Value) -> Value {
    let (value, woken) = guarded.withLock { guarded -> (Value, [(Waiter, State.Admission)]) in
      let value = body(&guarded)
      guard guarded.state.waitingCount > 0 || guarded.alarm != nil else { return (value, []) }
      let now = clock.now
      let woken = guarded.admit(now: now)
      setAlarm(guarded.state.nextMoment(now: now), in: &guarded)
      return (value, woken)
    }
    for (waiter, admission) in woken { waiter.resume(returning: .admitted(admission)) }
    return value
  }

  private func setAlarm(_ moment: Duration?, in guarded: inout Guarded) {
    guard guarded.alarm?.moment != moment else { return }
    guarded.alarm?.task.cancel()
    guarded.alarm = moment.map { moment in
      let task = Task { [weak self, clock] in
        guard (try? await clock.sleep(until: moment)) != nil else { return }
        self?.ring(moment)
      }
      return (moment, task)
    }
  }

  private func ring(_ moment: Duration) {
    update { guarded in
      if guarded.alarm?.moment == moment { guarded.alarm = nil }
    }
  }
}
