import Synchronization

/// Decides in which order a client's requests go to the network.
///
/// - A request of higher priority goes before one of lower priority that waits; among equals the
///   oldest goes first.
/// - Who has waited for ``Configuration/patience`` ranks one priority higher: nothing is overtaken
///   by a request that came more than twice that time after it.
/// - Requests of low priority, such as prefetching, give way: while there are others, only
///   ``Configuration/background`` of them run. What runs is never interrupted.
/// - What is found in a store does not wait.
///
/// Copies of a client share its scheduler; a scheduler may be shared between clients.
public final class RequestScheduler: Sendable {
  /// How many requests run at once.
  public struct Configuration: Sendable, Hashable {
    /// How many in all; 256 by default.
    public var maximumConcurrent = 256
    /// How many for one scheme, host and port; 64 by default.
    public var maximumPerHost = 64
    /// How many of low priority while others wait or run, at least 1; 2 by default.
    public var background = 2
    /// After how long a request that waits ranks one priority higher; 2 seconds by default.
    public var patience = Duration.seconds(2)

    /// Makes the default configuration.
    public init() {}
  }

  private typealias Waiter = CheckedContinuation<Bool, Never>

  private struct Guarded {
    var state: SchedulerState
    var waiters: [Int: Waiter] = [:]
    /// Those that were admitted before they had parked.
    var admitted: Set<Int> = []
    var nextID = 0

    /// Admits all that may run, and returns those of them that have parked.
    mutating func admit(now: Duration) -> [Waiter] {
      var woken: [Waiter] = []
      while let id = state.admit(now: now) {
        if let waiter = waiters.removeValue(forKey: id) {
          woken.append(waiter)
        } else {
          admitted.insert(id)
        }
      }
      return woken
    }
  }

  /// The limits.
  public let configuration: Configuration
  private let guarded: Mutex<Guarded>
  private let now: @Sendable () -> Duration

  /// Makes a scheduler.
  ///
  /// - Parameters:
  ///   - clock: What waiting is measured with; the system's by default.
  ///   - configure: Changes the default configuration.
  public init<C: Clock>(
    clock: C = ContinuousClock(),
    _ configure: (inout Configuration) -> Void = { _ in }
  ) where C.Duration == Duration {
    var configuration = Configuration()
    configure(&configuration)
    self.configuration = configuration
    var limits = SchedulerState.Limits()
    limits.all = max(1, configuration.maximumConcurrent)
    limits.perHost = max(1, configuration.maximumPerHost)
    limits.background = max(1, configuration.background)
    limits.patience = configuration.patience
    guarded = Mutex(Guarded(state: SchedulerState(limits)))
    let start = clock.now
    now = { start.duration(to: clock.now) }
  }

  /// How many requests wait for their turn.
  public var waitingCount: Int { guarded.withLock { $0.state.waitingCount } }
  /// How many requests are on the network.
  public var runningCount: Int { guarded.withLock { $0.state.runningCount } }
}

// MARK: - Turns

extension RequestScheduler {
  /// Waits for a turn, which ``leave(_:)`` ends.
  ///
  /// - Throws: ``FreshetError/cancelled`` as soon as the task is cancelled.
  func enter(_ request: Request) async throws(FreshetError) -> Int {
    let urgency = Urgency.current
    let host = HostKey(request.url)
    let (id, isAdmitted) = enqueue(host, urgency?.priority ?? request.priority)
    if isAdmitted { return id }
    urgency?.observe { [self] priority in reprioritize(id, to: priority) }
    // It may have changed between the two lines above.
    if let urgency { reprioritize(id, to: urgency.priority) }
    let isHere = await withTaskCancellationHandler {
      await withCheckedContinuation { park(id, $0) }
    } onCancel: {
      withdraw(id)
    }
    urgency?.observe(nil)
    guard isHere else { throw .cancelled }
    return id
  }

  func leave(_ id: Int) {
    update { $0.leave(id) }
  }

  /// Takes a turn at once, or a place in the queue.
  private func enqueue(_ host: HostKey, _ priority: Request.Priority) -> (Int, Bool) {
    let time = now()
    let (id, isAdmitted, waiters) = guarded.withLock { guarded -> (Int, Bool, [Waiter]) in
      let id = guarded.nextID
      guarded.nextID += 1
      if guarded.state.enter(id, host: host, priority: priority, now: time) {
        return (id, true, [])
      }
      guarded.state.enqueue(id, host: host, priority: priority, now: time)
      let waiters = guarded.admit(now: time)
      return (id, guarded.admitted.remove(id) != nil, waiters)
    }
    resume(waiters)
    return (id, isAdmitted)
  }

  private func reprioritize(_ id: Int, to priority: Request.Priority) {
    update { $0.reprioritize(id, to: priority) }
  }

  private func update(_ body: (inout SchedulerState) -> Void) {
    let time = now()
    resume(
      guarded.withLock { guarded in
        body(&guarded.state)
        return guarded.admit(now: time)
      }
    )
  }

  private func park(_ id: Int, _ waiter: Waiter) {
    let result: Bool? = guarded.withLock { guarded in
      if guarded.admitted.remove(id) != nil { return true }
      // A cancellation that came before the waiter could be found is seen by its flag.
      if Task.isCancelled {
        guarded.state.withdraw(id)
        return false
      }
      guarded.waiters[id] = waiter
      return nil
    }
    if let result { waiter.resume(returning: result) }
  }

  private func withdraw(_ id: Int) {
    let waiter = guarded.withLock { guarded -> Waiter? in
      guard let waiter = guarded.waiters.removeValue(forKey: id) else { return nil }
      guarded.state.withdraw(id)
      return waiter
    }
    waiter?.resume(returning: false)
  }

  private func resume(_ waiters: [Waiter]) {
    for waiter in waiters {
      waiter.resume(returning: true)
    }
  }
}
