#if os(Linux)
import CCurl

/// The lanes of hosts, which keep new requests off connections in doubt.
///
/// A connection that several requests share cannot be closed when one of them has waited in vain, and
/// libcurl has no way to leave one out. But it shares connections with TLS only between requests whose
/// options of TLS are the same: later requests get an option that means nothing to OpenSSL and GnuTLS.
struct CurlLanes {
  /// A lane of a host.
  struct Lane: Equatable {
    let host: HostKey
    let number: Int
  }

  static let count = 8

  /// The lanes of connections in doubt, by their descriptors.
  private var doubts: [Int32: Lane] = [:]
  /// The lanes of new requests, where it is not the first.
  private var current: [HostKey: Int] = [:]

  /// Whether all requests belong to the first lane of their host.
  var isIdle: Bool { doubts.isEmpty && current.isEmpty }

  /// Whether there are connections in doubt.
  var hasDoubts: Bool { !doubts.isEmpty }

  func isDoubted(_ descriptor: Int32) -> Bool { doubts[descriptor] != nil }

  /// Notes that a connection may have frozen.
  mutating func doubt(_ descriptor: Int32, _ lane: Lane) {
    doubts[descriptor] = lane
  }

  /// Notes that a connection has answered.
  ///
  /// - Returns: Whether new requests may have it again, which they may not once others have left it.
  mutating func trust(_ descriptor: Int32) -> Bool {
    guard let lane = doubts[descriptor], current[lane.host] ?? 0 == lane.number else {
      return false
    }
    doubts[descriptor] = nil
    return true
  }

  /// Forgets a connection that has ended.
  mutating func forget(_ descriptor: Int32) {
    doubts[descriptor] = nil
  }

  /// The lane for a new request, in which no connection is in doubt; `nil` if there is none.
  mutating func lane(of host: HostKey) -> Int? {
    let first = current[host] ?? 0
    for step in 0..<Self.count {
      let number = (first + step) % Self.count
      if doubts.values.contains(Lane(host: host, number: number)) { continue }
      if number != first { leave(first, for: number, of: host) }
      return number
    }
    return nil
  }

  /// Has new requests of a host leave a lane, if they are still given it.
  mutating func leave(_ lane: Lane) {
    guard current[lane.host] ?? 0 == lane.number else { return }
    leave(lane.number, for: (lane.number + 1) % Self.count, of: lane.host)
  }

  private mutating func leave(_ old: Int, for new: Int, of host: HostKey) {
    // Those without a connection in doubt can begin again in the first lane.
    if current.count >= Self.limit {
      let hosts = Set(doubts.values.map(\.host))
      current = current.filter { hosts.contains($0.key) }
    }
    current[host] = new
  }

  private static let limit = 256

  /// The options of TLS of a lane: those that only Windows knows.
  static func options(_ number: Int) -> Int {
    let bits = [CURLSSLOPT_NO_REVOKE, CURLSSLOPT_REVOKE_BEST_EFFORT, CURLSSLOPT_AUTO_CLIENT_CERT]
    return bits.enumerated()
      .reduce(0) { options, bit in
        number >> bit.offset & 1 == 1 ? options | Int(bit.element) : options
      }
  }
}
#endif
