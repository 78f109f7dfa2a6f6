import Synchronization

/// Decides which requests go to the network, and in which order.
///
/// - A request of higher priority goes before one of lower priority that waits; among equals the
///   oldest goes first.
/// - Who has waited for ``RequestLimits/patience`` ranks one priority higher: nothing is overtaken
///   by a request that came more than twice that time after it.
/// - Requests of low priority, such as prefetching, give way: while there are others, only
///   ``RequestLimits/background`` of them run, and those that have waited for their patience. What runs
///   is never interrupted.
/// - Waiting counts towards ``Request/Timeouts/total`` and ends at once with its task.
/// - What is found in a store does not wait.
///
/// Copies of a client share its scheduler; clients and transports that are given the same one share
/// its limits.
///
/// ```swift
/// let scheduler = RequestScheduler { $0.perHost = 6 }
/// let client = Client { $0.scheduler = scheduler }
/// scheduler.setPriority(.high, tagged: "screen")
/// ```
public final class RequestScheduler: Sendable {
  /// The limits.
  public let limits: RequestLimits

  private let clock: CallClock
  private let guarded: Mutex<Guarded>

  /// Makes a scheduler.
  ///
  /// - Parameters:
  ///   - clock: What rates, ages and deadlines are measured with; the system's by default.
  ///   - configure: Changes the default limits.
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

  /// How many requests wait for their turn.
  public var waitingCount: Int { guarded.withLock(\.state.waitingCount) }
  /// How many requests are on the network.
  public var runningCount: Int { guarded.withLock(\.state.runningCount) }

  /// Changes the priority of the requests that wait and have a tag, see ``Request/tags``.
  ///
  /// They keep the age that they have. Requests that come later have their own priority.
  public func setPriority(_ priority: Request.Priority, tagged tag: String) {
    update { $0.state.reprioritize(tagged: tag, to: priority) }
  }
}

// MARK: - Turns

extension RequestScheduler {
  /// A place among those that run, which is ended once.
  struct Turn: Sendable {
    fileprivate let scheduler: RequestScheduler
    fileprivate let admission: State.Admission

    func end() {
      scheduler.leave(admission)
    }
  }

  fileprivate typealias State = SchedulerState<Void>

  /// Takes a turn; `nil` if it has to be waited for.
  func enter(_ request: Request) -> Turn? {
    let host = request.host
    let priority = Urgency.current?.priority ?? request.priority
    let now = limits.rate == nil ? .zero : clock.now
    let admission = guarded.withLock { $0.state.enter(host: host, priority: priority, now: now) }
    return admission.map { Turn(scheduler: self, admission: $0) }
  }

  /// Waits for a turn, and takes the time from what the request has in all.
  ///
  /// - Returns: The turn; `nil` for who renews a credential and takes none: all may be taken by those
  ///   that wait for the new one.
  /// - Throws: ``FreshetError/cancelled`` as soon as the task is cancelled, and
  ///   ``FreshetError/timedOut(_:url:)`` when the request has no time left.
  func wait(_ request: inout Request) async throws(FreshetError) -> Turn? {
    if Authenticator.isRenewing { return nil }
    let began = clock.now
    let urgency = Urgency.current
    let id = enqueue(request, urgency?.priority ?? request.priority, now: began)
    urgency?.observe { [self] priority in update { $0.state.reprioritize(id, to: priority) } }
    let alarm = request.timeouts.total.map { total in
      Task { [weak self, clock] in
        // A cancelled sleep means that nobody waits any more.
        guard (try? await clock.sleep(until: began + total)) != nil else { return }
        self?.dismiss(id, .late)
      }
    }
    var outcome = await outcome(of: id)
    alarm?.cancel()
    urgency?.observe(nil)
    if let total = request.timeouts.total {
      let left = began + total - clock.now
      request.timeouts.total = left
      if case .admitted(let admission) = outcome, left <= .zero {
        leave(admission)
        outcome = .late
      }
    }
    switch outcome {
    case .admitted(let admission): return Turn(scheduler: self, admission: admission)
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
  /// How waiting ends.
  private enum Outcome {
    case admitted(State.Admission)
    case cancelled, late
  }

  /// Unchecked, see ``Pause``.
  private typealias Waiter = UnsafeContinuation<Outcome, Never>

  private struct Guarded: Sendable {
    var state: State
    var waiters: [Int: Waiter] = [:]
    /// What became of those that had not parked yet.
    var early: [Int: Outcome] = [:]
    var nextID = 0
    /// When the rate admits the next one.
    var alarm: (moment: Duration, task: Task<Void, Never>)?

    /// Admits all that may run, and returns those of them that have parked.
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

  /// Ends one's waiting, unless it has been admitted.
  private func dismiss(_ id: Int, _ outcome: Outcome) {
    let waiter = update { guarded -> Waiter? in
      guard guarded.state.withdraw(id) else { return nil }
      let waiter = guarded.waiters.removeValue(forKey: id)
      if waiter == nil { guarded.early[id] = outcome }
      return waiter
    }
    waiter?.resume(returning: outcome)
  }

  /// Changes what is guarded, and wakes all who may run then.
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
