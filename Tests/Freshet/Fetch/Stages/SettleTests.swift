import Foundation
import Freshet
import FreshetTesting
import Testing

@Suite struct SettleTests {
  let world = FetchWorld()

  @Test func `a step that is still wanted is an error with the URL`() async throws {
    let chain = Fetch.request(try world.request).lookup(in: world.memory).settle()

    let error = await #expect(throws: FreshetError.self) { try await chain.value }

    #expect(error == .notStored(url: FetchWorld.url))
  }

  @Test func `a copy without a check is fresh`() async throws {
    try await world.store(world.minute("one"))
    world.clock.advance(by: .seconds(1_000))

    let resource = try await Fetch.request(try world.request)
      .lookup(in: world.memory)
      .settle()
      .value

    #expect(resource.freshness == .fresh && resource.isFinal)
  }

  @Test func `a copy without a validation is stale`() async throws {
    try await world.store(world.minute("one"))
    world.clock.advance(by: .seconds(1_000))

    let resource = try await Fetch.request(try world.request)
      .lookup(in: world.memory)
      .checkExpiry(.http, now: world.now)
      .settle()
      .value

    #expect(resource.freshness == .stale && resource.isFinal)
  }

  @Test func `ends after the final value`() async throws {
    let transport = ScriptedTransport(sequence: [world.minute("one")])
    var names: [String] = []

    for try await event in Fetch.request(try world.request).download(over: transport).settle() {
      names.append(event.value == nil ? "progress" : "value")
    }

    #expect(names == ["progress", "value"])
  }
}
