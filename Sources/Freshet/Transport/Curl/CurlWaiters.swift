#if !canImport(Darwin)
/// The requests of each host that wait for a connection: a pure value.
///
/// When a connection has room, libcurl 7.88 tries the first of all waiting requests again and, if that still has
/// to wait, no other: requests to a host that answers would wait behind those to a host that does not. The
/// loop tries the oldest ones of the connection's host.
struct CurlWaiters {
  private var ids: [HostKey: [Int]] = [:]
  private var room: [HostKey: Int] = [:]

  var isEmpty: Bool { ids.isEmpty }

  mutating func add(_ id: Int, _ host: HostKey) {
    ids[host, default: []].append(id)
  }

  /// Notes that a number of requests to a host may find a connection.
  mutating func noteRoom(at host: HostKey, for count: Int) {
    room[host, default: 0] += count
  }

  /// Returns the requests to try again, and forgets some of those that no longer wait.
  ///
  /// There are none if all wait for one host: libcurl tries them in their order.
  mutating func next(isWaiting: (Int) -> Bool) -> [Int] {
    if room.isEmpty { return [] }
    defer { room.removeAll(keepingCapacity: true) }
    var next: [Int] = []
    for (host, count) in room {
      guard let first = ids[host]?.firstIndex(where: isWaiting) else {
        ids[host] = nil
        continue
      }
      ids[host]?.removeFirst(first)
      guard ids.count > 1, let waiting = ids[host] else { continue }
      next += waiting.lazy.filter(isWaiting).prefix(count)
    }
    return next
  }
}
#endif
