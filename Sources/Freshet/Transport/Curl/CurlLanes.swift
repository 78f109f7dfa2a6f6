#if !canImport(Darwin)
import CCurl

/// The lanes of hosts, which keep new requests off connections that may be broken.
///
/// A connection that several requests share cannot be closed when one of them has timed out, and
/// libcurl has no way to exclude one. But it only shares TLS connections between requests with the same
/// TLS options: later requests get an option that has no effect with OpenSSL and GnuTLS.
struct CurlLanes {
  /// A lane of a host.
  struct Lane: Equatable {
    let host: HostKey
    let number: Int
  }

  static let count = 8

  /// The lanes of suspected connections, by descriptor.
  private var doubts: [Int32: Lane] = [:]
  /// The lanes of new requests, by host; absent for the first lane.
  private var current: [HostKey: Int] = [:]

  /// A Boolean value that indicates whether all requests use the first lane of their host.
  var isIdle: Bool { doubts.isEmpty && current.isEmpty }

  func isDoubted(_ descriptor: Int32) -> Bool { doubts[descriptor] != nil }

  /// Marks a connection as suspected.
  mutating func doubt(_ descriptor: Int32, _ lane: Lane) {
    doubts[descriptor] = lane
  }

  /// Notes that a connection has answered.
  ///
  /// - Returns: A Boolean value that indicates whether new requests may use it again, which is not the
  ///   case once they have moved to another lane.
  mutating func trust(_ descriptor: Int32) -> Bool {
    guard let lane = doubts[descriptor], current[lane.host] ?? 0 == lane.number else {
      return false
    }
    doubts[descriptor] = nil
    return true
  }

  /// Removes a closed connection.
  mutating func forget(_ descriptor: Int32) {
    doubts[descriptor] = nil
  }

  /// Returns a lane without suspected connections for a new request; `nil` if there is none.
  mutating func lane(of host: HostKey) -> Int? {
    let first = current[host] ?? 0
    for step in 0..<Self.count {
      let number = (first + step) % Self.count
      if doubts.values.contains(Lane(host: host, number: number)) { continue }
      if number != first { use(number, of: host) }
      return number
    }
    return nil
  }

  /// Moves new requests of a host out of a lane, if they still use it.
  mutating func leave(_ lane: Lane) {
    guard current[lane.host] ?? 0 == lane.number else { return }
    use((lane.number + 1) % Self.count, of: lane.host)
  }

  private mutating func use(_ new: Int, of host: HostKey) {
    // Hosts without a suspected connection can return to the first lane.
    if current.count >= Self.limit {
      let hosts = Set(doubts.values.map(\.host))
      current = current.filter { hosts.contains($0.key) }
    }
    current[host] = new
  }

  private static let limit = 256

  /// Returns the TLS options of a lane, which only have an effect on Windows.
  static func options(_ number: Int) -> Int {
    let bits = [CURLSSLOPT_NO_REVOKE, CURLSSLOPT_REVOKE_BEST_EFFORT, CURLSSLOPT_AUTO_CLIENT_CERT]
    return bits.enumerated()
      .reduce(0) { options, bit in
        number >> bit.offset & 1 == 1 ? options | Int(bit.element) : options
      }
  }
}
#endif
