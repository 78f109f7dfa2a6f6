#if !canImport(Darwin)
/// Decides which loop of an engine takes a request: a pure value.
///
/// All requests to a host go to one loop, which has the connections to it. A new host goes to the loop
/// with the fewest running requests, and among equals to the one with the fewest hosts.
struct CurlPlacement: Sendable {
  private struct Home {
    let loop: Int
    var running = 0
  }

  /// The number of hosts above which those without a running request are forgotten.
  static let hostLimit = 1_024

  private var running: [Int]
  private var homes: [HostKey: Home] = [:]

  /// The number of hosts whose loop is known.
  var hostCount: Int { homes.count }

  init(loops: Int) {
    running = Array(repeating: 0, count: max(1, loops))
  }

  /// Returns the loop for the requests to a host.
  mutating func loop(for host: HostKey) -> Int {
    if let home = homes[host] { return home.loop }
    if homes.count >= Self.hostLimit { homes = homes.filter { $0.value.running > 0 } }
    var hosts = running.map { _ in 0 }
    for home in homes.values { hosts[home.loop] += 1 }
    let loop = running.indices.min { (running[$0], hosts[$0]) < (running[$1], hosts[$1]) } ?? 0
    homes[host] = Home(loop: loop)
    return loop
  }

  /// Notes that a request to a host has begun on its loop.
  mutating func enter(_ host: HostKey) {
    running[loop(for: host)] += 1
    homes[host]?.running += 1
  }

  /// Notes that a request to a host has ended.
  mutating func leave(_ host: HostKey) {
    guard let home = homes[host] else { return }
    running[home.loop] -= 1
    homes[host]?.running -= 1
  }
}
#endif
