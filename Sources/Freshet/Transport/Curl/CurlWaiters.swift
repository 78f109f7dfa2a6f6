#if !canImport(Darwin)
/// The requests of each host that wait for a connection: a pure value.
///
/// When a connection has room, libcurl 7.88 tries the first of all waiting requests again and, if that still has
/// to wait, no other: requests to a host that answers would wait behind those to a host that does not. The
/// loop tries the oldest ones of the connection's host. What these leave goes to the other hosts, one after another,
/// until one of them can use it: the limit of all connections and a proxy have room for any host.
struct CurlWaiters {
  private struct Line {
    var ids: [Int] = []
    /// The number of requests from which those that no longer wait are removed.
    var limit = 64
  }

  /// Room at a host.
  private struct Room {
    /// The number of requests to the host that may find some.
    var count = 0
    /// The number of connections that nobody uses any more, which those to another host can replace.
    var connections = 0
  }

  /// A request that tries to use the room of a connection that nobody uses.
  private struct Offer {
    /// `nil` after the end of the request.
    var id: Int?
    /// The number of hosts that get the room after this one, as long as none uses it.
    let others: Int
  }

  /// The number of requests that may share a new connection; servers of HTTP/2 mostly allow as many.
  private static let sharers = 100

  private var lines: [HostKey: Line] = [:]
  private var room: [HostKey: Room] = [:]
  private var offers: [Offer] = []
  /// The hosts in the order in which they get what others leave, with some that no longer have a line.
  private var rotation = Queue<HostKey>()
  private var members: Set<HostKey> = []

  var isEmpty: Bool { lines.isEmpty }

  mutating func add(_ id: Int, _ host: HostKey) {
    lines[host, default: Line()].ids.append(id)
    guard members.insert(host).inserted else { return }
    if members.count > 2 * lines.count + 64 { forgetOthers() }
    rotation.append(host)
  }

  /// Removes a request that has ended while it waited.
  mutating func remove(_ id: Int, _ host: HostKey) {
    lines[host]?.ids.removeAll { $0 == id }
    if lines[host]?.ids.isEmpty == true { lines[host] = nil }
    for index in offers.indices where offers[index].id == id { offers[index].id = nil }
  }

  /// Notes that a request to a host may find a connection, or many if it is a new one.
  ///
  /// - Parameters:
  ///   - host: The host.
  ///   - isNew: A Boolean value that indicates whether the connection is a new one, which has room for many.
  ///   - isUnused: A Boolean value that indicates whether no request uses the connection any more.
  mutating func noteRoom(at host: HostKey, isNew: Bool = false, isUnused: Bool = true) {
    var known = room[host] ?? Room()
    known.count = isNew ? max(known.count, Self.sharers) : known.count + 1
    if !isNew, isUnused { known.connections += 1 }
    room[host] = known
  }

  /// Returns the requests to try again, and forgets some of those that no longer wait.
  ///
  /// There are none if all wait for one host: libcurl tries each of them.
  mutating func next(isWaiting: (Int) -> Bool) -> [Int] {
    if room.isEmpty, offers.isEmpty { return [] }
    // Of each connection that is left, the number of hosts that may still get it.
    var left = offers.filter { $0.others > 0 && ($0.id.map(isWaiting) ?? true) }.map(\.others)
    offers.removeAll(keepingCapacity: true)
    var next: [Int] = []
    for (host, room) in room {
      let ids = oldest(room.count, of: host, isWaiting)
      next += ids
      offers += ids.prefix(room.connections).map { Offer(id: $0, others: lines.count - 1) }
      left += repeatElement(lines.count, count: max(0, room.connections - ids.count))
    }
    room.removeAll(keepingCapacity: true)
    for hosts in left {
      guard let id = oldestOfNextHost(besides: next, isWaiting) else { break }
      next.append(id)
      offers.append(Offer(id: id, others: hosts - 1))
    }
    return next
  }

  /// Returns the oldest requests to a host; none if no other host has any.
  private mutating func oldest(
    _ count: Int,
    of host: HostKey,
    _ isWaiting: (Int) -> Bool
  ) -> [Int] {
    guard let line = removeLine(of: host, isWaiting) else { return [] }
    let othersWait = !lines.isEmpty
    lines[host] = line
    return othersWait ? Array(line.ids.lazy.filter(isWaiting).prefix(count)) : []
  }

  /// Returns the oldest request to the host whose turn it is, and moves on to the next host; none if all wait for
  /// one host.
  private mutating func oldestOfNextHost(
    besides tried: [Int],
    _ isWaiting: (Int) -> Bool
  ) -> Int? {
    for _ in 0..<rotation.count where lines.count > 1 {
      guard let host = rotation.popFirst() else { return nil }
      guard let line = removeLine(of: host, isWaiting) else {
        members.remove(host)
        continue
      }
      lines[host] = line
      rotation.append(host)
      if let id = line.ids.first(where: { isWaiting($0) && !tried.contains($0) }) { return id }
    }
    return nil
  }

  /// Removes the line of a host, and returns it without some of those that no longer wait; `nil` if nobody does.
  private mutating func removeLine(of host: HostKey, _ isWaiting: (Int) -> Bool) -> Line? {
    guard var line = lines.removeValue(forKey: host),
      let first = line.ids.firstIndex(where: isWaiting)
    else { return nil }
    line.ids.removeFirst(first)
    if line.ids.count >= line.limit {
      line.ids.removeAll { !isWaiting($0) }
      line.limit = max(64, line.ids.count * 2)
    }
    return line
  }

  /// Removes the hosts without a line from the rotation.
  private mutating func forgetOthers() {
    members = members.filter { lines[$0] != nil }
    var remaining = Queue<HostKey>()
    while let host = rotation.popFirst() {
      if members.contains(host) { remaining.append(host) }
    }
    rotation = remaining
  }
}
#endif
