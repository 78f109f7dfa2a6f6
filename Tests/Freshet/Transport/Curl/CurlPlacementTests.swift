#if !canImport(Darwin)
import Foundation
import Testing

@testable import Freshet

@Suite struct CurlPlacementTests {
  private func host(_ number: Int) -> HostKey {
    HostKey(URL(string: "http://\(number).test/").unsafelyUnwrapped)
  }

  @Test func `keeps a host on its loop, whatever the others do`() {
    var placement = CurlPlacement(loops: 3)
    let first = placement.loop(for: host(1))
    placement.enter(host(1))
    for number in 2..<20 { placement.enter(host(number)) }
    placement.leave(host(1))

    #expect(placement.loop(for: host(1)) == first)
  }

  @Test func `gives a new host to the loop with the fewest running requests`() {
    var placement = CurlPlacement(loops: 2)
    let busy = placement.loop(for: host(1))
    for _ in 0..<3 { placement.enter(host(1)) }
    let other = placement.loop(for: host(2))
    placement.enter(host(2))

    #expect(other != busy)
    #expect(placement.loop(for: host(3)) == other)

    for _ in 0..<3 { placement.leave(host(1)) }
    #expect(placement.loop(for: host(4)) == busy)
  }

  @Test func `spreads hosts of which none has a running request`() {
    var placement = CurlPlacement(loops: 4)
    let loops = (1...8).map { placement.loop(for: host($0)) }

    #expect((0..<4).allSatisfy { loop in loops.count { $0 == loop } == 2 })
  }

  @Test func `forgets hosts without a running request above the limit`() {
    var placement = CurlPlacement(loops: 2)
    let kept = placement.loop(for: host(0))
    placement.enter(host(0))
    for number in 1..<CurlPlacement.hostLimit { _ = placement.loop(for: host(number)) }
    #expect(placement.hostCount == CurlPlacement.hostLimit)

    _ = placement.loop(for: host(-1))

    #expect(placement.hostCount == 2)
    #expect(placement.loop(for: host(0)) == kept)
  }

  @Test(arguments: [(1, 1), (2, 1), (4, 1), (8, 2), (20, 5), (64, 8)])
  func `has one loop for each four processors by default, at most eight`(
    processors: Int,
    loops: Int
  ) {
    #expect(CurlTransport.Configuration.defaultLoops(processors: processors) == loops)
  }

  @Test(arguments: [(8, 256, 64, 4), (8, 1, 64, 1), (0, 256, 64, 1), (2, 256, 64, 2)])
  func `has no more loops than can each have the connections to one host`(
    wanted: Int,
    total: Int,
    perHost: Int,
    loops: Int
  ) {
    var configuration = CurlTransport.Configuration()
    configuration.loops = wanted
    configuration.maximumConnections = total
    configuration.maximumConnectionsPerHost = perHost

    #expect(configuration.loopCount == loops)
  }
}
#endif
