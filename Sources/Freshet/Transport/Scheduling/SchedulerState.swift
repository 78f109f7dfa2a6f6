/// Who goes next: what waits for its turn and what runs, by host and priority.
///
/// A pure value; moments are durations since any one start. Whoever has waited for the limits'
/// patience ranks one priority higher, and among equal ranks the oldest goes first: nothing is
/// overtaken by what came more than twice the patience after it.
struct SchedulerState: Sendable {
  typealias Host = HostKey
  typealias Priority = Request.Priority

  /// What is small is quick to move: tags, which few have, are kept apart.
  private struct Place {
    let host: Host
    var priority: Priority
    var since = Duration.zero
  }

  let limits: RequestLimits
  /// Whether nothing is admitted for now.
  var isPaused = false
  /// By the host's number.
  private var lanes = NumberMap<SchedulerLane>()
  private var rates = HostRates()
  private var waiting = NumberMap<Place>()
  /// The tags of those that wait and have any.
  private var tags: [Int: Set<String>] = [:]
  private var running = NumberMap<Place>()
  private var waitingLow = 0
  private var runningLow = 0

  init(_ limits: RequestLimits) {
    self.limits = limits.atLeastOne
  }

  var waitingCount: Int { waiting.count }
  var runningCount: Int { running.count }
  /// How many hosts are remembered.
  var hostCount: Int { max(lanes.count, rates.count) }
}

// MARK: - Changes

extension SchedulerState {
  /// Lets one run at once, if nothing waits and there is room; `false` if it has to be enqueued.
  mutating func enter(_ id: Int, host: Host, priority: Priority, now: Duration) -> Bool {
    let others = lanes.look(at: host.number) { $0.running } ?? 0
    guard waiting.isEmpty, !isPaused, running.count < limits.total, others < limits.perHost,
      priority != .low || hasRoomForLow,
      rates.allow(host, now: now)
    else { return false }
    run(id, Place(host: host, priority: priority), now: now)
    return true
  }

  /// Puts one at the end of its queue; ids grow with each call.
  mutating func enqueue(
    _ id: Int,
    host: Host,
    priority: Priority,
    tags: Set<String> = [],
    now: Duration
  ) {
    if !tags.isEmpty { self.tags[id] = tags }
    wait(id, Place(host: host, priority: priority, since: now)) { $0.append(id) }
  }

  /// Takes one out that waits; `false` if it does not.
  @discardableResult
  mutating func withdraw(_ id: Int) -> Bool {
    forgetTags(of: id)
    return stopWaiting(id) { $0.removeAll { $0 == id } } != nil
  }

  /// Gives one that waits another priority; it keeps its age.
  mutating func reprioritize(_ id: Int, to priority: Priority) {
    guard let current = waiting[id], current.priority != priority,
      var place = stopWaiting(id, { $0.removeAll { $0 == id } })
    else { return }
    place.priority = priority
    wait(id, place) { $0.insert(id) { $0 > id } }
  }

  /// Gives those that wait and have a tag another priority; they keep their age.
  mutating func reprioritize(tagged tag: String, to priority: Priority) {
    for (id, tags) in tags where tags.contains(tag) { reprioritize(id, to: priority) }
  }

  /// Admits the next one, if there is one that may run.
  mutating func admit(now: Duration) -> Int? {
    guard !isPaused, running.count < limits.total, !waiting.isEmpty, let id = best(now),
      let place = stopWaiting(id, { _ = $0.popFirst() })
    else { return nil }
    forgetTags(of: id)
    run(id, place, now: now)
    return id
  }

  /// Ends one that runs; harmless if it does not.
  mutating func leave(_ id: Int) {
    guard let place = running.removeValue(forKey: id) else { return }
    if place.priority == .low { runningLow -= 1 }
    change(place.host) { $0.running -= 1 }
  }

  private mutating func forgetTags(of id: Int) {
    if !tags.isEmpty { tags[id] = nil }
  }

  private mutating func wait(_ id: Int, _ place: Place, _ add: (inout Queue<Int>) -> Void) {
    waiting[id] = place
    if place.priority == .low { waitingLow += 1 }
    change(place.host) { add(&$0[place.priority]) }
  }

  private mutating func stopWaiting(_ id: Int, _ remove: (inout Queue<Int>) -> Void) -> Place? {
    guard let place = waiting.removeValue(forKey: id) else { return nil }
    if place.priority == .low { waitingLow -= 1 }
    change(place.host) { remove(&$0[place.priority]) }
    return place
  }

  private mutating func run(_ id: Int, _ place: Place, now: Duration) {
    running[id] = place
    if place.priority == .low { runningLow += 1 }
    change(place.host) { $0.running += 1 }
    if let rate = limits.rate { rates.spend(rate, of: place.host, now: now) }
  }

  /// A lane without anybody is forgotten.
  private mutating func change(_ host: Host, _ body: (inout SchedulerLane) -> Void) {
    let isEmpty = lanes.change(host.number, from: SchedulerLane()) { lane in
      body(&lane)
      return lane.isEmpty
    }
    if isEmpty { lanes.removeValue(forKey: host.number) }
  }
}

// MARK: - Choice

extension SchedulerState {
  /// When the rate lets another one begin, or `nil` if nobody waits for that.
  func nextMoment(now: Duration) -> Duration? {
    guard limits.rate != nil, !isPaused, running.count < limits.total, !waiting.isEmpty else {
      return nil
    }
    var earliest: Duration?
    lanes.visit { host, lane in
      guard lane.hasWaiting, lane.running < limits.perHost,
        let moment = rates.nextMoment(of: Host(number: host), now: now)
      else { return }
      earliest = min(moment, earliest ?? moment)
    }
    return earliest
  }

  /// The first of the highest rank among those whose host has room.
  private func best(_ now: Duration) -> Int? {
    let mayRunLow = hasRoomForLow
    var best: (rank: Int, id: Int)?
    lanes.visit { host, lane in
      guard lane.hasWaiting, lane.running < limits.perHost,
        rates.allow(Host(number: host), now: now)
      else { return }
      // The oldest of a queue ranks highest in it.
      for id in [lane[.high].first, lane[.normal].first, lane[.low].first] {
        guard let id else { continue }
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
    let highest = Priority.high.rawValue
    guard place.priority != .high, limits.patience > .zero else { return highest }
    let waited = now - place.since
    // Nearly all that wait are young, and dividing a duration is slow.
    guard waited >= limits.patience else { return place.priority.rawValue }
    let steps = waited / limits.patience
    return Int(min(Double(place.priority.rawValue) + steps.rounded(.down), Double(highest)))
  }

  private var hasRoomForLow: Bool {
    runningLow < limits.background
      || running.count == runningLow && waiting.count == waitingLow
  }
}
