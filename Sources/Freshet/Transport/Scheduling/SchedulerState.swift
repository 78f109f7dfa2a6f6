/// Who goes next: what waits for its turn and what runs, by host and priority.
///
/// A pure value; time is an argument. Whoever has waited for the limits' patience ranks one
/// priority higher, and among equal ranks the oldest goes first: nothing is overtaken by what came
/// more than twice the patience after it.
struct SchedulerState {
  struct Limits: Sendable, Hashable {
    /// How many run at once in all.
    var all = Int.max
    /// How many run at once for one host.
    var perHost = Int.max
    /// How many of low priority run at once while there is anything else.
    var background = Int.max
    /// After how long one that waits ranks one priority higher.
    var patience = Duration.seconds(2)
  }

  typealias Host = HostKey
  typealias Priority = Request.Priority

  private struct Place {
    let host: Host
    var priority: Priority
    let since: Duration
  }

  private struct Lane {
    /// The ids that wait, by priority, the oldest first.
    var queues = [Queue<Int>(), Queue<Int>(), Queue<Int>()]
    var waiting = 0
    var running = 0
  }

  var limits: Limits
  /// Whether nothing is admitted for now.
  var isPaused = false
  private var lanes: [Host: Lane] = [:]
  private var waiting: [Int: Place] = [:]
  private var running: [Int: Place] = [:]
  private var waitingCounts = [0, 0, 0]
  private var runningCounts = [0, 0, 0]

  init(_ limits: Limits) {
    self.limits = limits
  }

  var waitingCount: Int { waiting.count }
  var runningCount: Int { running.count }
}

// MARK: - Changes

extension SchedulerState {
  /// Lets one run at once, if nothing waits and there is room; `false` if it has to be enqueued.
  mutating func enter(_ id: Int, host: Host, priority: Priority, now: Duration) -> Bool {
    guard waiting.isEmpty, !isPaused, running.count < limits.all,
      lanes[host]?.running ?? 0 < limits.perHost, priority != .low || hasRoomForLow
    else { return false }
    run(id, Place(host: host, priority: priority, since: now))
    return true
  }

  /// Puts one at the end of its queue; ids grow with each call.
  mutating func enqueue(_ id: Int, host: Host, priority: Priority, now: Duration) {
    wait(id, Place(host: host, priority: priority, since: now)) { $0.append(id) }
  }

  /// Takes one out that waits; `false` if it does not.
  @discardableResult
  mutating func withdraw(_ id: Int) -> Bool {
    stopWaiting(id) { $0.removeAll { $0 == id } } != nil
  }

  /// Gives one that waits another priority; it keeps its age.
  mutating func reprioritize(_ id: Int, to priority: Priority) {
    guard let current = waiting[id], current.priority != priority,
      var place = stopWaiting(id, { $0.removeAll { $0 == id } })
    else { return }
    place.priority = priority
    wait(id, place) { $0.insert(id) { $0 > id } }
  }

  /// Admits the next one, if there is one that may run.
  mutating func admit(now: Duration) -> Int? {
    guard !isPaused, running.count < limits.all, !waiting.isEmpty, let id = best(now),
      let place = stopWaiting(id, { _ = $0.popFirst() })
    else { return nil }
    run(id, place)
    return id
  }

  /// Ends one that runs; harmless if it does not.
  mutating func leave(_ id: Int) {
    guard let place = running.removeValue(forKey: id) else { return }
    runningCounts[place.priority.rawValue] -= 1
    change(place.host) { $0.running -= 1 }
  }

  private mutating func wait(_ id: Int, _ place: Place, _ add: (inout Queue<Int>) -> Void) {
    waiting[id] = place
    waitingCounts[place.priority.rawValue] += 1
    change(place.host) { lane in
      lane.waiting += 1
      add(&lane.queues[place.priority.rawValue])
    }
  }

  private mutating func stopWaiting(_ id: Int, _ remove: (inout Queue<Int>) -> Void) -> Place? {
    guard let place = waiting.removeValue(forKey: id) else { return nil }
    waitingCounts[place.priority.rawValue] -= 1
    change(place.host) { lane in
      lane.waiting -= 1
      remove(&lane.queues[place.priority.rawValue])
    }
    return place
  }

  private mutating func run(_ id: Int, _ place: Place) {
    running[id] = place
    runningCounts[place.priority.rawValue] += 1
    change(place.host) { $0.running += 1 }
  }

  /// A lane without anybody is forgotten.
  private mutating func change(_ host: Host, _ body: (inout Lane) -> Void) {
    var lane = lanes.removeValue(forKey: host) ?? Lane()
    body(&lane)
    if lane.waiting > 0 || lane.running > 0 { lanes[host] = lane }
  }
}

// MARK: - Choice

extension SchedulerState {
  /// The first of the highest rank among those whose host has room.
  private func best(_ now: Duration) -> Int? {
    let mayRunLow = hasRoomForLow
    var best: (rank: Int, id: Int)?
    for lane in lanes.values where lane.waiting > 0 && lane.running < limits.perHost {
      // The oldest of a queue ranks highest in it.
      for queue in lane.queues {
        guard let id = queue.first else { continue }
        let rank = rank(id, now)
        if rank == Priority.low.rawValue, !mayRunLow { continue }
        if let best, (best.rank, id) > (rank, best.id) { continue }
        best = (rank, id)
      }
    }
    return best?.id
  }

  private func rank(_ id: Int, _ now: Duration) -> Int {
    guard let place = waiting[id] else { return 0 }
    guard limits.patience > .zero else { return Priority.high.rawValue }
    let steps = (now - place.since) / limits.patience
    let raised = Double(place.priority.rawValue) + steps.rounded(.down)
    return Int(min(raised, Double(Priority.high.rawValue)))
  }

  private var hasRoomForLow: Bool {
    let low = Priority.low.rawValue
    return runningCounts[low] < limits.background
      || running.count == runningCounts[low] && waiting.count == waitingCounts[low]
  }
}
