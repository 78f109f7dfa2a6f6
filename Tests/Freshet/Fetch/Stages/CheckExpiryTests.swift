import Freshet
import FreshetTesting
import Testing

@Suite struct CheckExpiryTests {
  let world = FetchWorld()

  private func names(_ policy: ExpiryPolicy) async throws -> [String] {
    try await Fetch.request(try world.request)
      .lookup(in: world.memory)
      .checkExpiry(policy, now: world.now)
      .names
  }

  @Test(arguments: [
    (ExpiryPolicy.http, 59, "resource"),
    (.http, 60, "expired"),
    (.after(.seconds(7_200)), 7_199, "resource"),
    (.after(.seconds(7_200)), 7_200, "expired"),
    (.after(.seconds(10)), 11, "expired"),
    (.never, 1_000_000, "resource"),
    (.always, 0, "expired"),
  ])
  func `decides by the policy and the age`(
    policy: ExpiryPolicy,
    seconds: Int,
    step: String
  ) async throws {
    try await world.store(world.minute("one"))

    world.clock.advance(by: .seconds(seconds))

    #expect(try await names(policy) == [step])
  }

  @Test func `forwards the wanted step`() async throws {
    #expect(try await names(.http) == ["wanted"])
  }

  @Test func `a copy that cannot answer the request is wanted again`() async throws {
    try await world.store(world.minute("one"))
    var request = try world.request
    request.headers[.range] = "bytes=0-1,4-5"

    let chain = Fetch.request(request)
      .lookup(in: world.memory)
      .checkExpiry(.http, now: world.now)

    #expect(try await chain.names == ["wanted"])
  }

  @Test func `explains its decision with age and lifetime`() async throws {
    try await world.store(world.minute("one"))
    world.clock.advance(by: .seconds(340))

    let resource = try await Fetch.request(try world.request)
      .lookup(in: world.memory)
      .checkExpiry(.http, now: world.now)
      .settle()
      .value

    #expect(resource.freshness == .stale)
    #expect(
      resource.explanation.description
        == "memory: hit\nexpired: age 340 s, over 60 s (max-age)"
    )
  }
}
