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

  private var lines: [HostKey: Line] = [:]
  private var room: [HostKey: Int] = [:]

  var isEmpty: Bool { lines.isEmpty }

  mutating func add(_ id: Int, _ host: HostKey) {
    lines[host, default: Line()].ids.append(id)
  }

  /// Notes that a request to a host may find a connection.
  mutating func noteRoom(at host: HostKey) {
    room[host, default: 0] += 1
  }

  /// Notes that so many requests to a host may share a connection.
  mutating func noteRoom(at host: HostKey, for count: Int) {
    room[host] = max(room[host] ?? 0, count)
  }

  /// Returns the requests to try again, and forgets some of those that no longer wait.
  ///
  /// There are none if all wait for one host: libcurl tries each of them.
  mutating func next(isWaiting: (Int) -> Bool) -> [Int] {
    if room.isEmpty { return [] }
    defer { room.removeAll(keepingCapacity: true) }
    var next: [Int] = []
    for (host, count) in room {
      guard let first = lines[host]?.ids.firstIndex(where: isWaiting), var line = lines[host] else {
        lines[host] = nil
        continue
      }
      lines[host] = nil
      line.ids.removeFirst(first)
      if line.ids.count >= line.limit {
        line.ids.removeAll { !isWaiting($0) }
        line.limit = max(64, line.ids.count * 2)
      }
      if !lines.isEmpty { next += line.ids.lazy.filter(isWaiting).prefix(count) }
      lines[host] = line
    }
    return next
  }
}
#endif
