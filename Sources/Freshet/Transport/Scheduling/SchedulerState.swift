/// The waiting and the running requests of a scheduler, by host and priority.
///
/// A pure value; times are durations since an arbitrary start. A request that has waited for the
/// limits' patience ranks one priority higher, and among equal ranks the oldest is first: no request is
/// overtaken by one that came more than twice the patience later.
///
/// Waiting requests are stored with a payload. Running ones are only counted; each gets an
/// ``Admission`` to return at its end.
struct SchedulerState<Load: Sendable>: Sendable {
  typealias Priority = Request.Priority

  /// A waiting request.
  private struct Place {
    let load: Load
    let host: HostKey
    var priority: Priority
    let since: Duration
  }

  /// The permit of a running request, to be returned to ``leave(_:)`` once.
  struct Admission: Sendable {
    fileprivate let host: HostKey
    fileprivate let isLow: Bool
  }

  let limits: RequestLimits
  /// A Boolean value that indicates whether no request is admitted at present.
  var isPaused = false
  private var lanes: [HostKey: SchedulerLane] = [:]
  private var rates = HostRates()
  /// The first waiting requests of the hosts; empty if the rates are limited, because these decide with the time.
  private var order = SchedulerOrder()
  private var waiting: [Int: Place] = [:]
  /// The tags of the waiting requests that have any.
  private var tags: [Int: Set<String>] = [:]
  private(set) var runningCount = 0
  /// The number of hosts with waiting requests.
  private(set) var waitingHosts = 0
  private var waitingLow = 0
  private var runningLow = 0

  init(_ limits: RequestLimits) {
    self.limits = limits.atLeastOne
  }

  var waitingCount: Int { waiting.count }
  /// The number of hosts with an entry.
  var hostCount: Int { max(lanes.count, rates.count) }
}

// MARK: - Changes

extension SchedulerState {
  /// Admits a request immediately if none waits and there is room; `nil` if it has to be enqueued.
  mutating func enter(host: HostKey, priority: Priority, now: Duration) -> Admission? {
    let perHost = limits.perHost
    guard waiting.isEmpty, !isPaused, runningCount < limits.total,
      priority != .low || hasRoomForLow,
      rates.allow(host, now: now),
      change(host, { $0.begin(atMost: perHost) })
    else { return nil }
    return admission(host, priority, now: now)
  }

  /// Appends a request to its queue; ids must increase with each call.
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

  /// Removes a waiting request; returns `false` if it does not wait.
  @discardableResult
  mutating func withdraw(_ id: Int) -> Bool {
    forgetTags(of: id)
    return stopWaiting(id) { $0[$1].remove(id) } != nil
  }

  /// Changes the priority of a waiting request, which keeps its waiting time.
  mutating func reprioritize(_ id: Int, to priority: Priority) {
    guard let current = waiting[id]?.priority, current != priority,
      var place = stopWaiting(id, { $0[$1].remove(id) })
    else { return }
    place.priority = priority
    wait(id, place) { $0[priority].insert(id) }
  }

  /// Changes the priority of the waiting requests with a tag, which keep their waiting times.
  mutating func reprioritize(tagged tag: String, to priority: Priority) {
    for (id, tags) in tags where tags.containsTag(tag) { reprioritize(id, to: priority) }
  }

  /// Admits the next request, if there is one that may run.
  ///
  /// - Parameters:
  ///   - now: The time.
  ///   - perHost: A smaller limit of running requests of a host than the limits'.
  /// - Returns: `nil` if none may run.
  mutating func admit(
    now: Duration,
    perHost: Int = .max
  ) -> (id: Int, load: Load, admission: Admission)? {
    guard !isPaused, runningCount < limits.total, !waiting.isEmpty,
      let id = best(now, min(perHost, limits.perHost)),
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

  /// Ends a running request.
  mutating func leave(_ admission: Admission) {
    runningCount -= 1
    if admission.isLow { runningLow -= 1 }
    let firsts = change(admission.host) { lane in
      lane.running -= 1
      return lane.firsts
    }
    note(firsts)
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
    waiting[id] = place
    if priority == .low { waitingLow += 1 }
    let (isFirst, firsts) = change(host) { lane in
      let isFirst = !lane.hasWaiting
      add(&lane)
      return (isFirst, lane[priority].first == id ? lane.firsts : nil)
    }
    if isFirst { waitingHosts += 1 }
    if let firsts { note(firsts) }
  }

  private mutating func stopWaiting(
    _ id: Int,
    _ remove: (inout SchedulerLane, Priority) -> Void
  ) -> Place? {
    guard let place = waiting.removeValue(forKey: id) else { return nil }
    if place.priority == .low { waitingLow -= 1 }
    let (isLast, firsts) = change(place.host) { lane in
      remove(&lane, place.priority)
      return (!lane.hasWaiting, lane.firsts)
    }
    if isLast { waitingHosts -= 1 }
    note(firsts)
    return place
  }

  /// Adds a host's first waiting requests to the order, after they or its running ones have changed.
  private mutating func note(_ firsts: SchedulerOrder.Firsts) {
    guard limits.rate == nil, !waiting.isEmpty else { return }
    let (waiting, lanes) = (waiting, lanes)
    order.add(firsts) { Self.isCurrent($0, $1, waiting, lanes) }
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

  /// Changes a host's lane, and removes it when it is empty.
  private mutating func change<Result>(
    _ host: HostKey,
    _ body: (inout SchedulerLane) -> Result
  ) -> Result {
    // One look-up for both, as this is done for each request.
    guard let index = lanes.index(forKey: host) else {
      return body(&lanes[host, default: SchedulerLane()])
    }
    defer { if lanes.values[index].isEmpty { lanes.remove(at: index) } }
    return body(&lanes.values[index])
  }
}

// MARK: - Choice

extension SchedulerState {
  /// The number of running requests of a host.
  func runningCount(of host: HostKey) -> Int { lanes[host]?.running ?? 0 }

  /// Returns the time at which the rate allows another request, or the oldest one of low priority has waited
  /// for the patience; `nil` if none waits for that.
  func nextMoment(now: Duration) -> Duration? {
    let isLowLimited = waitingLow > 0 && !hasRoomForLow
    guard limits.rate != nil || isLowLimited, !isPaused, runningCount < limits.total,
      !waiting.isEmpty
    else { return nil }
    if limits.rate == nil {
      var copy = self
      guard let oldest = copy.first(.low, limits.perHost).flatMap({ waiting[$0] }) else {
        return nil
      }
      if oldest.since + limits.patience > now { return oldest.since + limits.patience }
    }
    var earliest: Duration?
    func consider(_ moment: Duration?) {
      guard let moment, moment > now else { return }
      earliest = min(moment, earliest ?? moment)
    }
    for (host, lane) in lanes where lane.hasWaiting && lane.running < limits.perHost {
      consider(rates.nextMoment(of: host, now: now))
      guard isLowLimited, let oldest = lane[.low].first.flatMap({ waiting[$0] }) else { continue }
      consider(oldest.since + limits.patience)
    }
    return earliest
  }

  /// Returns the request with the highest rank among those whose host has room.
  private mutating func best(_ now: Duration, _ perHost: Int) -> Int? {
    // There is nearly always only one candidate, whose rank is not needed.
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
    // The oldest request of a priority has its highest rank.
    guard limits.rate != nil else {
      consider(first(.high, perHost))
      consider(first(.normal, perHost))
      consider(first(.low, perHost).flatMap { mayRunLow($0, now) ? $0 : nil })
      return best?.id
    }
    for (host, lane) in lanes
    where lane.hasWaiting && lane.running < perHost && rates.allow(host, now: now) {
      consider(lane[.high].first)
      consider(lane[.normal].first)
      consider(lane[.low].first.flatMap { mayRunLow($0, now) ? $0 : nil })
    }
    return best?.id
  }

  /// Returns the oldest request of a priority at the hosts with fewer running ones than a limit.
  private mutating func first(_ priority: Priority, _ perHost: Int) -> Int? {
    let (waiting, lanes) = (waiting, lanes)
    return order.first(priority, below: perHost) { Self.isCurrent($0, $1, waiting, lanes) }
  }

  /// Returns whether an id in the order is still the first of its kind at a host.
  private static func isCurrent(
    _ id: Int,
    _ kind: SchedulerOrder.Kind,
    _ waiting: [Int: Place],
    _ lanes: [HostKey: SchedulerLane]
  ) -> Bool {
    guard let place = waiting[id], place.priority == kind.priority, let lane = lanes[place.host]
    else { return false }
    return lane.running == kind.running && lane[kind.priority].first == id
  }

  /// Returns whether a low-priority request may run: there is room, or it has waited for the patience.
  private func mayRunLow(_ id: Int, _ now: Duration) -> Bool {
    hasRoomForLow || rank(id, now) > Priority.low.rawValue
  }

  private func rank(_ id: Int, _ now: Duration) -> Int {
    guard let place = waiting[id] else { return 0 }
    let highest = Priority.high.rawValue
    guard place.priority != .high, limits.patience > .zero else { return highest }
    let waited = now - place.since
    // Most requests have not waited for long, and dividing durations is slow.
    guard waited >= limits.patience else { return place.priority.rawValue }
    let steps = waited / limits.patience
    return Int(min(Double(place.priority.rawValue) + steps.rounded(.down), Double(highest)))
  }

  private var hasRoomForLow: Bool {
    runningLow < limits.background
      || runningCount == runningLow && waiting.count == waitingLow
  }
}
