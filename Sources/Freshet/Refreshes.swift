/// The background refreshes of stale values, see
/// ``ResourcePolicy/StaleAnnouncement/servedWhileRefreshing``.
///
/// - There is at most one refresh of a request at a time.
/// - A few run at once, some wait, and any more are not started: the next fetch of the stale value
///   tries again.
/// - A refresh that fails leaves the copy unchanged.
/// - They are cancelled with the last reference to this object, which a client holds.
///
/// ```swift
/// let refreshes = Refreshes(maximumConcurrent: 2)
/// let client = Client {
///   $0.refreshes = refreshes
///   $0.policy.stale = .servedWhileRefreshing
/// }
/// ```
public final class Refreshes: Sendable {
  /// The identity of a refresh: for other header fields the response may be another one.
  struct Subject: Hashable {
    let key: CacheKey
    let headers: HTTPHeaders
  }

  private struct State {
    var running: [Subject: Task<Void, Never>] = [:]
    var waiting: [(subject: Subject, rest: FetchRest)] = []

    func contains(_ subject: Subject) -> Bool {
      running[subject] != nil || waiting.contains { $0.subject == subject }
    }
  }

  private let maximumConcurrent: Int
  private let maximumWaiting: Int
  private let state = Watched(State())

  /// Makes refreshes with limits.
  ///
  /// - Parameters:
  ///   - maximumConcurrent: The number of refreshes that run at once, at least 1; 4 by default.
  ///   - maximumWaiting: The number of refreshes that wait; 256 by default.
  public init(maximumConcurrent: Int = 4, maximumWaiting: Int = 256) {
    self.maximumConcurrent = max(1, maximumConcurrent)
    self.maximumWaiting = max(0, maximumWaiting)
  }

  deinit {
    for task in state.read({ Array($0.running.values) }) { task.cancel() }
  }

  /// The number of refreshes that run or wait.
  public var count: Int { state.read { $0.running.count + $0.waiting.count } }

  /// Cancels those that run, and removes those that wait.
  public func cancelAll() {
    let (waiting, tasks) = state.update { state in
      (exchange(&state.waiting, with: []), Array(state.running.values))
    }
    for task in tasks { task.cancel() }
    // What waits is released outside of the lock.
    _ = waiting
  }

  /// Waits until none runs or waits, or until the waiting task is cancelled.
  ///
  /// Cancelling the task does not cancel the refreshes; ``cancelAll()`` does.
  public func idle() async {
    await state.wait { $0.running.isEmpty }
  }

  /// Starts to run the rest of a fetch that found a stale copy, unless it is being refreshed
  /// already or the limits are reached.
  func begin(_ rest: FetchRest) {
    guard case .expired(let expired) = rest.step else { return }
    let subject = Subject(key: expired.context.key, headers: expired.context.headers)
    state.update { state in
      guard !state.contains(subject) else { return }
      if state.running.count < maximumConcurrent {
        start((subject, rest), &state)
      } else if state.waiting.count < maximumWaiting {
        state.waiting.append((subject, rest))
      }
    }
  }

  private func start(_ next: (subject: Subject, rest: FetchRest), _ state: inout State) {
    // The priority is that of the refresh, not that of the fetch that begins it.
    state.running[next.subject] = Request.Priority.$current.withValue(nil) {
      // Releasing this object cancels the tasks: they must not hold it.
      Task { [weak self] in
        var run = FetchRun(next.rest, wantsProgress: false)
        // A refresh that fails leaves the copy unchanged.
        while (try? await run.next(isolation: nil)) != nil {}
        self?.finish(next.subject)
      }
    }
  }

  private func finish(_ subject: Subject) {
    state.update { state in
      state.running[subject] = nil
      if !state.waiting.isEmpty { start(state.waiting.removeFirst(), &state) }
    }
  }
}
