@testable import Freshet

/// A scheduler's state of which those that run are known by their ids, as those that wait are.
@dynamicMemberLookup
struct NumberedTurns {
  private var state: SchedulerState<Void>
  private var running: [Int: SchedulerState<Void>.Admission] = [:]

  init(_ limits: RequestLimits) {
    state = SchedulerState(limits)
  }

  subscript<Value>(dynamicMember path: WritableKeyPath<SchedulerState<Void>, Value>) -> Value {
    get { state[keyPath: path] }
    set { state[keyPath: path] = newValue }
  }

  subscript<Value>(dynamicMember path: KeyPath<SchedulerState<Void>, Value>) -> Value {
    state[keyPath: path]
  }

  mutating func enqueue(
    _ id: Int,
    host: HostKey,
    priority: Request.Priority,
    tags: Set<String> = [],
    now: Duration
  ) {
    state.enqueue(id, (), host: host, priority: priority, tags: tags, now: now)
  }

  @discardableResult
  mutating func withdraw(_ id: Int) -> Bool {
    state.withdraw(id)
  }

  mutating func reprioritize(_ id: Int, to priority: Request.Priority) {
    state.reprioritize(id, to: priority)
  }

  mutating func reprioritize(tagged tag: String, to priority: Request.Priority) {
    state.reprioritize(tagged: tag, to: priority)
  }

  /// Whether it runs at once.
  mutating func enter(
    _ id: Int,
    host: HostKey,
    priority: Request.Priority,
    now: Duration
  ) -> Bool {
    running[id] = state.enter(host: host, priority: priority, now: now)
    return running[id] != nil
  }

  mutating func admit(now: Duration, perHost: Int = .max) -> Int? {
    guard let (id, _, admission) = state.admit(now: now, perHost: perHost) else { return nil }
    running[id] = admission
    return id
  }

  mutating func leave(_ id: Int) {
    if let admission = running.removeValue(forKey: id) { state.leave(admission) }
  }

  func nextMoment(now: Duration) -> Duration? { state.nextMoment(now: now) }
}
