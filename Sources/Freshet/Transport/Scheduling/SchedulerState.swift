/// Who goes next: what waits for its turn and what runs, by host and priority.
///
/// A pure value; moments are durations since any one start. Whoever has waited for the limits'
/// patience ranks one priority higher, and among equal ranks the oldest goes first: nothing is
/// overtaken by what came more than twice the patience after it.
///
/// It keeps something of those that wait, of whom each has a load; of those that run, it only counts
/// them, and who is let run is told what to give back.
struct SchedulerState<Load: Sendable>: Sendable {
  typealias Priority = Request.Priority

  /// What is small is quick to move: tags, which few have, are kept apart.
  private struct Place {
    let load: Load
    let host: HostKey
    var priority: Priority
    let since: Duration
  }

  /// What one that runs gives back to ``leave(_:)``, once.
  struct Admission: Sendable {
    fileprivate let host: HostKey
    fileprivate let isLow: Bool
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
  private(set) var runningCount = 0
  private var waitingLow = 0
  private var runningLow = 0

  init(_ limits: RequestLimits) {
    self.limits = limits.atLeastOne
  }

  var waitingCount: Int { waiting.count }
  /// How many hosts are remembered.
  var hostCount: Int { max(lanes.count, rates.count) }
}

// MARK: - Changes

extension SchedulerState {
  /// Lets one run at once, if nothing waits and there is room; `nil` if it has to be enqueued.
  mutating func enter(host: HostKey, priority: Priority, now: Duration) -> Admission? {
    let others = lanes.look(at: host.number) { $0.running } ?? 0
    guard waiting.isEmpty, !isPaused, runningCount < limits.total, others < limits.perHost,
      priority != .low || hasRoomForLow,
      rates.allow(host, now: now)
    else { return nil }
    change(host) { $0.running += 1 }
    return admission(host, priority, now: now)
  }

  /// Puts one at the end of its queue; ids grow with each call.
  mutating func enqueue(
    _ id: Int,
    _ load: Load,
    host: HostKey,
    priority: Priority,
    tags: Set<String> = [],
    now: Duration
  ) {
    if !tags.isEmpty { self.tags[id] = tags }
    let place = Place(load: load, host: host, priority: priority, since: now)
    wait(id, place) { $0[priority].append(id) }
  }

  /// Takes one out that waits; `false` if it does not.
  @discardableResult
  mutating func withdraw(_ id: Int) -> Bool {
    forgetTags(of: id)
    return stopWaiting(id) { $0[$1].removeAll { $0 == id } } != nil
  }

  /// Gives one that waits another priority; it keeps its age.
  mutating func reprioritize(_ id: Int, to priority: Priority) {
    guard let current = waiting.look(at: id, { $0.priority }), current != priority,
      var place = stopWaiting(id, { $0[$1].removeAll { $0 == id } })
    else { return }
    place.priority = priority
    wait(id, place) { $0[priority].insert(id) { $0 > id } }
  }

  /// Gives those that wait and have a tag another priority; they keep their age.
  mutating func reprioritize(tagged tag: String, to priority: Priority) {
    for (id, tags) in tags where tags.contains(tag) { reprioritize(id, to: priority) }
  }

  /// Admits the next one, if there is one that may run.
  mutating func admit(now: Duration) -> (id: Int, load: Load, admission: Admission)? {
    guard !isPaused, runningCount < limits.total, !waiting.isEmpty, let id = best(now),
      let place = stopWaiting(
        id,
        { lane, priority in
          _ = lane[priority].popFirst()
          lane.running += 1
        }
      )
    else { return nil }
    forgetTags(of: id)
    return (id, place.load, admission(place.host, place.priority, now: now))
  }

  /// Ends one that runs.
  mutating func leave(_ admission: Admission) {
    runningCount -= 1
    if admission.isLow { runningLow -= 1 }
    change(admission.host) { $0.running -= 1 }
  }

  private mutating func forgetTags(of id: Int) {
    if !tags.isEmpty { tags[id] = nil }
  }

  private mutating func wait(
    _ id: Int,
    _ place: consuming Place,
    _ add: (inout SchedulerLane) -> Void
  ) {
    let (priority, host) = (place.priority, place.host)
    waiting.set(place, for: id)
    if priority == .low { waitingLow += 1 }
    change(host, add)
  }

  private mutating func stopWaiting(
    _ id: Int,
    _ remove: (inout SchedulerLane, Priority) -> Void
  ) -> Place? {
    guard let place = waiting.removeValue(forKey: id) else { return nil }
    if place.priority == .low { waitingLow -= 1 }
    change(place.host) { remove(&$0, place.priority) }
    return place
  }

  private mutating func admission(
    _ host: HostKey,
    _ priority: Priority,
    now: Duration
  ) -> Admission {
    runningCount += 1
    if priority == .low { runningLow += 1 }
    if let rate = limits.rate { rates.spend(rate, of: host, now: now) }
    return Admission(host: host, isLow: priority == .low)
  }

  /// A lane without anybody is forgotten.
  private mutating func change(_ host: HostKey, _ body: (inout SchedulerLane) -> Void) {
    let isEmpty = lanes.change(host.number) { lane in
      body(&lane)
      return lane.isEmpty
    }
    switch isEmpty {
    case true?: lanes.removeValue(forKey: host.number)
    case false?: break
    case nil:
      var lane = SchedulerLane()
      body(&lane)
      lanes[host.number] = lane
    }
  }
}

// MARK: - Choice

extension SchedulerState {
  /// When the rate lets another one begin, or `nil` if nobody waits for that.
  func nextMoment(now: Duration) -> Duration? {
    guard limits.rate != nil, !isPaused, runningCount < limits.total, !waiting.isEmpty else {
      return nil
    }
    var earliest: Duration?
    lanes.visit { host, lane in
      guard lane.hasWaiting, lane.running < limits.perHost,
        let moment = rates.nextMoment(of: HostKey(number: host), now: now)
      else { return }
      earliest = min(moment, earliest ?? moment)
    }
    return earliest
  }

  /// The first of the highest rank among those whose host has room.
  private func best(_ now: Duration) -> Int? {
    // Nearly always there is only one, and its rank is not asked for.
    var best: (id: Int, rank: Int?)?
    func consider(_ id: Int?) {
      guard let id else { return }
      guard let other = best else {
        best = (id, nil)
        return
      }
      let (mine, others) = (rank(id, now), other.rank ?? rank(other.id, now))
      best = (mine, other.id) > (others, id) ? (id, mine) : (other.id, others)
    }
    lanes.visit { host, lane in
      guard lane.hasWaiting, lane.running < limits.perHost,
        rates.allow(HostKey(number: host), now: now)
      else { return }
      // The oldest of a queue ranks highest in it.
      consider(lane.oldest(.high))
      consider(lane.oldest(.normal))
      consider(lane.oldest(.low).flatMap { mayRunLow($0, now) ? $0 : nil })
    }
    return best?.id
  }

  /// Whether one of low priority may run: there is room, or it has waited for its patience.
  private func mayRunLow(_ id: Int, _ now: Duration) -> Bool {
    hasRoomForLow || rank(id, now) > Priority.low.rawValue
  }

  private func rank(_ id: Int, _ now: Duration) -> Int {
    let place = waiting.look(at: id) { (priority: $0.priority, since: $0.since) }
    guard let place else { return 0 }
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
      || runningCount == runningLow && waiting.count == waitingLow
  }
}
