/// Who waits to be sent, who runs, and who is next.
///
/// A pure value; moments are durations since any one start. Within a priority it is first come,
/// first served; each ``RequestLimits/ageing`` of waiting lifts a request by one priority.
struct AdmissionQueue {
  typealias Priority = Request.Priority

  private struct Entry {
    let host: URLOrigin
    var priority: Priority
    let tags: Set<String>
    let since: Duration
  }

  private struct Host {
    /// The waiting by priority, the oldest first.
    var waiting: [Priority: [Int]] = [:]
    var running = 0
    var bucket: TokenBucket?
  }

  private let limits: RequestLimits
  private var entries: [Int: Entry] = [:]
  private var hosts: [URLOrigin: Host] = [:]
  private var running = 0
  private var nextID = 0

  init(_ limits: RequestLimits) {
    self.limits = limits
  }

  var waitingCount: Int { entries.count }
  var runningCount: Int { running }
  var hostCount: Int { hosts.count }

  mutating func enqueue(
    _ host: URLOrigin,
    _ priority: Priority,
    tags: Set<String> = [],
    now: Duration
  ) -> Int {
    nextID += 1
    entries[nextID] = Entry(host: host, priority: priority, tags: tags, since: now)
    if hosts[host] == nil {
      let bucket = limits.rate.map { rate in
        TokenBucket(capacity: Double(rate.burst), perSecond: rate.perSecond, now: now)
      }
      hosts[host] = Host(bucket: bucket)
    }
    hosts[host]?.waiting[priority, default: []].append(nextID)
    return nextID
  }

  /// Takes back a request that is still waiting.
  mutating func withdraw(_ id: Int, now: Duration) {
    guard let entry = entries.removeValue(forKey: id) else { return }
    hosts[entry.host]?.waiting[entry.priority]?.removeAll { $0 == id }
    forget(entry.host, now: now)
  }

  /// Ends a request that was admitted.
  mutating func release(_ host: URLOrigin, now: Duration) {
    running -= 1
    hosts[host]?.running -= 1
    forget(host, now: now)
  }

  /// Changes the priority of the waiting requests that have a tag; they keep their age.
  mutating func setPriority(_ priority: Priority, tag: String) {
    for (id, entry) in entries where entry.tags.contains(tag) && entry.priority != priority {
      entries[id]?.priority = priority
      hosts[entry.host]?.waiting[entry.priority]?.removeAll { $0 == id }
      let place = hosts[entry.host]?.waiting[priority]?.firstIndex { $0 > id }
      if let place {
        hosts[entry.host]?.waiting[priority]?.insert(id, at: place)
      } else {
        hosts[entry.host]?.waiting[priority, default: []].append(id)
      }
    }
  }

  /// Admits all that may run now, the highest rank first.
  mutating func admit(now: Duration) -> [Int] {
    var admitted: [Int] = []
    while running < limits.total ?? .max, let id = next(now: now),
      let entry = entries.removeValue(forKey: id)
    {
      running += 1
      hosts[entry.host]?.running += 1
      hosts[entry.host]?.waiting[entry.priority]?.removeFirst()
      _ = hosts[entry.host]?.bucket?.take(now: now)
      admitted.append(id)
    }
    return admitted
  }

  /// When the rate lets another one begin, or `nil` if none waits for that.
  mutating func nextMoment(now: Duration) -> Duration? {
    guard running < limits.total ?? .max, limits.rate != nil else { return nil }
    var earliest: Duration?
    for host in Array(hosts.keys) where hosts[host].map(hasWork) == true {
      guard let moment = hosts[host]?.bucket?.nextToken(now: now) else { continue }
      earliest = min(earliest ?? moment, moment)
    }
    return earliest
  }

  private func hasWork(_ host: Host) -> Bool {
    host.running < limits.perHost ?? .max && host.waiting.values.contains { !$0.isEmpty }
  }

  private mutating func next(now: Duration) -> Int? {
    var best: (rank: Int, id: Int)?
    for (origin, host) in hosts where hasWork(host) {
      if hosts[origin]?.bucket
        .map({
          var bucket = $0
          return bucket.take(now: now)
        }) == false
      {
        continue
      }
      // The first of each priority is its oldest, so no other can rank higher.
      for id in host.waiting.values.compactMap(\.first) {
        let rank = rank(id, now: now)
        if best.map({ (rank, -id) > ($0.rank, -$0.id) }) ?? true {
          best = (rank, id)
        }
      }
    }
    return best?.id
  }

  private func rank(_ id: Int, now: Duration) -> Int {
    guard let entry = entries[id] else { return .min }
    guard limits.ageing > .zero else { return entry.priority.rawValue }
    return entry.priority.rawValue + Int((now - entry.since) / limits.ageing)
  }

  private mutating func forget(_ host: URLOrigin, now: Duration) {
    guard let state = hosts[host], state.running == 0,
      state.waiting.values.allSatisfy(\.isEmpty)
    else { return }
    // A bucket that is not full still remembers something.
    if hosts[host]?.bucket?.isFull(now: now) ?? true { hosts[host] = nil }
  }
}
