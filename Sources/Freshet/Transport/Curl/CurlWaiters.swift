#if !canImport(Darwin)
/// The requests of each host that wait for a connection: a pure value.
///
/// When a connection has room, libcurl 7.88 tries the first of all waiting requests again and, if that still has
/// to wait, no other: requests to a host that answers would wait behind those to a host that does not. The
/// loop tries the oldest ones of the connection's host.
struct CurlWaiters {
  private struct Line {
    var ids: [Int] = []
    /// The number of requests from which those that no longer wait are removed.
    var limit = 64
  }

  /// The number of requests that may share a new connection; servers of HTTP/2 mostly allow as many.
  private static let sharers = 100

  private var lines: [HostKey: Line] = [:]
  private var room: [HostKey: Int] = [:]

  var isEmpty: Bool { lines.isEmpty }

  mutating func add(_ id: Int, _ host: HostKey) {
    lines[host, default: Line()].ids.append(id)
  }

  /// Removes a request that has ended while it waited.
  mutating func remove(_ id: Int, _ host: HostKey) {
    lines[host]?.ids.removeAll { $0 == id }
    if lines[host]?.ids.isEmpty == true { lines[host] = nil }
  }

  /// Notes that a request to a host may find a connection, or many if it is a new one.
  mutating func noteRoom(at host: HostKey, isNew: Bool = false) {
    let known = room[host] ?? 0
    room[host] = isNew ? max(known, Self.sharers) : known + 1
  }

  /// Returns the requests to try again, and forgets some of those that no longer wait.
  ///
  /// There are none if all wait for one host: libcurl tries each of them.
  mutating func next(isWaiting: (Int) -> Bool) -> [Int] {
    if room.isEmpty { return [] }
    defer { room.removeAll(keepingCapacity: true) }
    var next: [Int] = []
    for (host, count) in room {
      guard var line = lines.removeValue(forKey: host),
        let first = line.ids.firstIndex(where: isWaiting)
      else { continue }
      line.ids.removeFirst(first)
      if line.ids.count >= line.limit {
        line.ids.removeAll { !isWaiting($0) }
        line.limit = max(64, line.ids.count * 2)
      }
      let othersWait = !lines.isEmpty
      if othersWait { next += line.ids.lazy.filter(isWaiting).prefix(count) }
      lines[host] = line
    }
    return next
  }
}
#endif
