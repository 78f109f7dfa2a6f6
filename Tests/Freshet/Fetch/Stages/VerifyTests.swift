import Foundation
import Freshet
import FreshetTesting
import Testing

@Suite struct VerifyTests {
  let world = FetchWorld()
  /// The SHA-256 of "one", by sha256sum.
  static let one = "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed"

  private func chain(
    _ body: String,
    _ digest: Checksum?
  ) throws -> some AsyncSequence<Fetch, FreshetError> & Sendable {
    let transport = ScriptedTransport(sequence: [world.minute(body)])
    return Fetch.request(try world.request)
      .lookup(in: world.memory)
      .checkExpiry(.http, now: world.now)
      .announceStale()
      .download(over: transport, now: world.now)
      .verify(digest)
      .persist(in: world.memory)
  }

  private func digest(_ hex: String) throws -> Checksum {
    .sha256(try #require(SHA256Checksum(hex: hex)))
  }

  @Test func `forwards the right body and explains it`() async throws {
    let resource = try await chain("one", try digest(Self.one)).settle().value

    #expect(resource.explanation.contains { if case .verified = $0 { true } else { false } })
  }

  @Test func `a wrong body is an error and is not stored`() async throws {
    let digest = try digest(Self.one)

    let error = await #expect(throws: FreshetError.self) { try await chain("two", digest).names }

    #expect(error?.kind == "corrupted")
    #expect(world.memory.count == 0)
  }

  @Test(arguments: [0, 61])
  func `a stored copy with another digest is downloaded again`(age: Int) async throws {
    let world = ClientWorld()
    let client = world.client(
      ScriptedTransport(sequence: [world.response("two"), world.response("one")])
    )
    _ = try await client.resource(try world.request).value
    world.clock.advance(by: .seconds(age))
    let digest = try digest(Self.one)

    let resource =
      try await client.resource(
        try world.request,
        policy: ResourcePolicy { $0.expected = digest }
      )
      .value

    #expect(try resource.text == "one")
    #expect(resource.explanation.contains(.refused(.memory)))
    #expect(resource.explanation.contains(.stored(.memory)))
  }

  @Test func `a stored copy with another digest is an error at the end of the chain`() async throws
  {
    try await world.store(world.minute("two"))
    let digest = try digest(Self.one)

    let error = await #expect(throws: FreshetError.self) { try await chain("one", digest).names }

    #expect(error?.kind == "corrupted")
  }

  @Test func `a stale copy with another digest is not announced`() async throws {
    try await world.store(world.minute("two"))
    world.clock.advance(by: .seconds(61))

    #expect(try await chain("one", try digest(Self.one)).names == ["expired"])
  }

  @Test func `nil accepts anything`() async throws {
    #expect(try await chain("two", nil).names == ["progress", "downloaded"])
  }
}
