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

  typealias Host = URLOrigin?
  typealias Priority = Request.Priority

  private struct Place {
    let host: Host
    var priority: Priority
    let since: Duration
  }

  private struct Lane {
    /// The ids that wait, by priority, the oldest first.
    var queues: [ArraySlice<Int>] = [[], [], []]
    var running = 0

    var isEmpty: Bool { running == 0 && queues.allSatisfy(\.isEmpty) }
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
  /// Puts one at the end of its queue; ids grow with each call.
  mutating func enqueue(_ id: Int, host: Host, priority: Priority, now: Duration) {
    waiting[id] = Place(host: host, priority: priority, since: now)
    waitingCounts[priority.rawValue] += 1
    lanes[host, default: Lane()].queues[priority.rawValue].append(id)
  }

  /// Takes one out that waits; `false` if it does not.
  @discardableResult
  mutating func withdraw(_ id: Int) -> Bool {
    guard let place = waiting.removeValue(forKey: id) else { return false }
    waitingCounts[place.priority.rawValue] -= 1
    change(place.host) { $0.queues[place.priority.rawValue].removeAll { $0 == id } }
    return true
  }

  /// Gives one that waits another priority; it keeps its age.
  mutating func reprioritize(_ id: Int, to priority: Priority) {
    guard var place = waiting[id], place.priority != priority else { return }
    withdraw(id)
    place.priority = priority
    waiting[id] = place
    waitingCounts[priority.rawValue] += 1
    change(place.host) { lane in
      let queue = lane.queues[priority.rawValue]
      let index = queue.firstIndex { $0 > id } ?? queue.endIndex
      lane.queues[priority.rawValue].insert(id, at: index)
    }
  }

  /// Admits the next one, if there is one that may run.
  mutating func admit(now: Duration) -> Int? {
    guard !isPaused, running.count < limits.all, !waiting.isEmpty, let id = best(now),
      let place = waiting.removeValue(forKey: id)
    else { return nil }
    waitingCounts[place.priority.rawValue] -= 1
    runningCounts[place.priority.rawValue] += 1
    running[id] = place
    change(place.host) { lane in
      lane.queues[place.priority.rawValue].removeFirst()
      lane.running += 1
    }
    return id
  }

  /// Ends one that runs; harmless if it does not.
  mutating func leave(_ id: Int) {
    guard let place = running.removeValue(forKey: id) else { return }
    runningCounts[place.priority.rawValue] -= 1
    change(place.host) { $0.running -= 1 }
  }

  private mutating func change(_ host: Host, _ body: (inout Lane) -> Void) {
    body(&lanes[host, default: Lane()])
    if lanes[host]?.isEmpty == true { lanes[host] = nil }
  }
}

// MARK: - Choice

extension SchedulerState {
  /// The first of the highest rank among those whose host has room.
  private func best(_ now: Duration) -> Int? {
    let mayRunLow = hasRoomForLow
    var best: (rank: Int, id: Int)?
    for lane in lanes.values where lane.running < limits.perHost {
      // The oldest of a queue ranks highest in it.
      for id in lane.queues.lazy.compactMap(\.first) {
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
