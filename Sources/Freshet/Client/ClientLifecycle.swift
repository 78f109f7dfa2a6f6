import Synchronization

/// The state of a client: open or shut down, and the work that is running.
final class ClientLifecycle: Sendable {
  /// The number of what is under way.
  private let running = Watched(0)
  // They are set before the end of what runs is waited for: what begins later sees them.
  private let refuses = Atomic<Bool>(false)
  private let refusesAll = Atomic<Bool>(false)
  private let hasStores = Atomic<Bool>(true)
  private let isObserved = Atomic<Bool>(false)
  private let currentObserver = Mutex<(any ClientObserver)?>(nil)

  /// A Boolean value that indicates whether new calls are refused.
  var isShutDown: Bool { refuses.load(ordering: .acquiring) }

  /// A Boolean value that indicates whether any transfer is refused.
  var isOver: Bool { refusesAll.load(ordering: .acquiring) }

  /// The observer of what begins now, if there is one.
  var observer: (any ClientObserver)? {
    guard isObserved.load(ordering: .relaxed) else { return nil }
    return currentObserver.withLock(\.self)
  }

  func observe(by observer: (any ClientObserver)?) {
    let earlier = currentObserver.withLock { current in
      defer { current = observer }
      isObserved.store(observer != nil, ordering: .relaxed)
      return current
    }
    // It is released outside of the lock.
    _ = earlier
  }

  func endObservation(by observer: any ClientObserver) {
    let ended = currentObserver.withLock { current -> (any ClientObserver)? in
      guard current === observer else { return nil }
      isObserved.store(false, ordering: .relaxed)
      return current.take()
    }
    _ = ended
  }

  /// Something under way, until it is released.
  final class Work: Sendable {
    private let lifecycle: ClientLifecycle

    fileprivate init(_ lifecycle: ClientLifecycle) {
      self.lifecycle = lifecycle
    }

    deinit {
      lifecycle.running.update { $0 -= 1 }
    }
  }

  /// Notes something that is under way already, which ``Client/shutdown(grace:)`` waits for.
  func begin() -> Work {
    running.update { $0 += 1 }
    return Work(self)
  }

  /// Lets a transfer of a call begin: any one until the client is shut down, and those of calls that have
  /// been let through before.
  ///
  /// - Returns: The work that the transfer holds while it runs; `nil` if it is refused.
  func begin(_ scope: CallScope?) -> Work? {
    let begins = running.update { running in
      guard !isOver, !isShutDown || scope?.isAdmitted == true else { return false }
      scope?.isAdmitted = true
      running += 1
      return true
    }
    return begins ? Work(self) : nil
  }

  /// Refuses new calls from now on.
  func shutDown() {
    refuses.store(true, ordering: .releasing)
  }

  /// Refuses any transfer from now on.
  func end() {
    refusesAll.store(true, ordering: .releasing)
  }

  /// Waits until nothing is under way.
  ///
  /// - Parameters:
  ///   - grace: The longest time to wait, at most `Duration.longestWait`.
  ///   - clock: The clock that measures it.
  /// - Returns: `true` if nothing is running; `false` as soon as the task is cancelled.
  func idle(within grace: Duration, by clock: any Clock<Duration>) async -> Bool {
    await running.first(
      { $0 == 0 ? true : nil },
      or: { (try? await clock.sleep(for: min(grace, .longestWait))).map { false } }
    ) ?? false
  }

  /// Gives the client's share in its stores back.
  ///
  /// - Returns: `true` if it had not left them before.
  func leaveStores() -> Bool {
    hasStores.exchange(false, ordering: .acquiringAndReleasing)
  }
}
