import Synchronization

/// Holds requests back until they may be sent; transports that share it share its limits.
///
/// ```swift
/// let limiter = RequestLimiter(.standard)
/// let client = Client { $0.transport = wire.limited(by: limiter) }
/// limiter.setPriority(.high, tagged: "screen")
/// ```
public final class RequestLimiter: Sendable {
  private struct State {
    var queue: AdmissionQueue
    var waiting: [Int: Waiting] = [:]
    var alarm: (moment: Duration, task: Task<Void, Never>)?
  }

  private struct Waiting {
    let host: URLOrigin
    let settlement: Settlement<RequestPermit>
  }

  private let clock: CallClock
  private let state: Mutex<State>

  /// Makes a limiter.
  ///
  /// - Parameters:
  ///   - limits: How many requests may run and begin.
  ///   - clock: What rates, ages and deadlines are measured with.
  public init(
    _ limits: RequestLimits = .standard,
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.clock = CallClock(clock)
    state = Mutex(State(queue: AdmissionQueue(limits)))
  }

  /// How many requests wait.
  public var waitingCount: Int { state.withLock { $0.queue.waitingCount } }
  /// How many requests run.
  public var runningCount: Int { state.withLock { $0.queue.runningCount } }

  /// Changes the priority of the requests that wait and have a tag, see ``Request/tags``.
  ///
  /// They keep the age that they have. Requests that come later have their own priority.
  public func setPriority(_ priority: Request.Priority, tagged tag: String) {
    state.withLock { $0.queue.setPriority(priority, tag: tag) }
    pump()
  }
}

extension RequestLimiter {
  /// The time since the limiter was made.
  var moment: Duration { clock.now }

  /// Waits until a request may be sent; it runs until the permit is released.
  func permit(for request: Request) async throws(FreshetError) -> RequestPermit {
    guard let host = URLOrigin(request.url) else {
      throw .invalidRequest("its URL has no origin", url: Redaction.shown(request.url))
    }
    let now = clock.now
    let waiting = Waiting(host: host, settlement: Settlement())
    let id = state.withLock { state in
      let id = state.queue.enqueue(host, request.priority, tags: request.tags, now: now)
      state.waiting[id] = waiting
      return id
    }
    pump()
    do {
      return try await waiting.settlement.value(
        before: request.timeouts.total.map { now + $0 },
        by: clock,
        orThrow: .timedOut(.total, url: Redaction.shown(request.url))
      )
    } catch {
      // A permit that was granted meanwhile is released with the settlement that holds it.
      state.withLock { state in
        state.waiting[id] = nil
        state.queue.withdraw(id, now: clock.now)
      }
      pump()
      throw error
    }
  }

  fileprivate func release(_ host: URLOrigin) {
    state.withLock { $0.queue.release(host, now: clock.now) }
    pump()
  }

  /// Admits whom it can, and sees to it that the next one is admitted in time.
  private func pump() {
    let now = clock.now
    let admitted = state.withLock { state in
      let admitted = state.queue.admit(now: now)
        .compactMap { state.waiting.removeValue(forKey: $0) }
      setAlarm(state.queue.nextMoment(now: now), in: &state)
      return admitted
    }
    for waiting in admitted {
      waiting.settlement.settle(.success(RequestPermit(self, waiting.host)))
    }
  }

  private func setAlarm(_ moment: Duration?, in state: inout State) {
    guard state.alarm?.moment != moment else { return }
    state.alarm?.task.cancel()
    state.alarm = nil
    guard let moment else { return }
    let task = Task { [weak self, clock] in
      guard (try? await clock.sleep(until: moment)) != nil else { return }
      self?.ring(moment)
    }
    state.alarm = (moment, task)
  }

  private func ring(_ moment: Duration) {
    state.withLock { state in
      if state.alarm?.moment == moment { state.alarm = nil }
    }
    pump()
  }
}

/// A request's place among those that run; it is given back once, at the latest when it is dropped.
final class RequestPermit: Sendable {
  private let limiter: RequestLimiter
  private let host: URLOrigin

  init(_ limiter: RequestLimiter, _ host: URLOrigin) {
    self.limiter = limiter
    self.host = host
  }

  deinit {
    limiter.release(host)
  }
}
