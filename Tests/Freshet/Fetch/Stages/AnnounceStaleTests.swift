import Freshet
import FreshetTesting
import Testing

@Suite struct AnnounceStaleTests {
  let world = FetchWorld()

  private func names(after seconds: Int) async throws -> [String] {
    world.clock.advance(by: .seconds(seconds))
    return try await Fetch.request(try world.request)
      .lookup(in: world.memory)
      .checkExpiry(.http, now: world.now)
      .announceStale()
      .names
  }

  @Test func `shows the stale copy before the expired step`() async throws {
    try await world.store(world.minute("one"))

    #expect(try await names(after: 61) == ["resource, not final", "expired"])
  }

  @Test func `announces nothing that is fresh`() async throws {
    try await world.store(world.minute("one"))

    #expect(try await names(after: 1) == ["resource"])
  }

  @Test(arguments: ["max-age=60, must-revalidate", "no-cache"])
  func `never announces what forbids stale use`(control: String) async throws {
    try await world.store(world.minute("one", control: control))

    #expect(try await names(after: 61) == ["expired"])
  }
}
