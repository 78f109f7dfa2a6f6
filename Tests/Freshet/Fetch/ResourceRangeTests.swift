import Foundation
import Freshet
import FreshetTesting
import Testing

/// Ranges out of what is stored whole.
@Suite struct ResourceRangeTests {
  let world = ClientWorld()

  private func client(_ transport: ScriptedTransport) async throws -> Client {
    let client = world.client(transport)
    _ = try await client.resource(try world.request).value
    return client
  }

  private func asking(_ range: String, _ condition: String? = nil) throws -> Request {
    var request = try world.request
    request.headers[.range] = range
    request.headers[.ifRange] = condition
    return request
  }

  @Test(arguments: [
    ("bytes=0-1", nil, "on", "bytes 0-1/5"),
    ("bytes=2-", nil, "e-1", "bytes 2-4/5"),
    ("bytes=-2", nil, "-1", "bytes 3-4/5"),
    ("bytes=0-99", nil, "one-1", "bytes 0-4/5"),
    ("bytes=1-1", "\"v1\"", "n", "bytes 1-1/5"),
  ])
  func `a fresh complete copy answers a range`(
    range: String,
    condition: String?,
    text: String,
    contentRange: String
  ) async throws {
    let transport = ScriptedTransport(sequence: [world.response("one-1")])
    let client = try await client(transport)

    let part = try await client.resource(try asking(range, condition)).value

    #expect(part.status == 206)
    #expect(try part.text == text)
    #expect(part.headers[.contentRange] == contentRange)
    #expect(part.headers[.contentLength] == String(text.utf8.count))
    #expect(part.source == .memory && part.freshness == .fresh)
    #expect(part.explanation.contains(.answeredPart))
    #expect(transport.counts.started == 1)
    #expect(try await client.resource(try world.request).value.text == "one-1")
  }

  @Test(arguments: [
    ("bytes=0-1,3-4", nil), ("bytes=9-", nil), ("items=0-1", nil), ("bytes=0-1", "\"v0\""),
    ("bytes=0-1", "W/\"v1\""),
  ])
  func `a range that the copy cannot answer is requested and not stored`(
    range: String,
    condition: String?
  ) async throws {
    let content = range == "bytes=9-" ? "bytes 9-10/11" : "bytes 0-1/5"
    let part = ScriptedResponse(206, headers: [.contentRange: content], body: Data("on".utf8))
    let transport = ScriptedTransport(sequence: [world.response("one-1"), part])
    let client = try await client(transport)

    let answer = try await client.resource(try asking(range, condition)).value

    #expect(answer.source == .network)
    #expect(transport.requests.last?.headers[.range] == range)
    #expect(try await client.resource(try world.request).value.text == "one-1")
    #expect(transport.counts.started == 2)
  }

  @Test func `a stale complete copy does not answer`() async throws {
    let part = ScriptedResponse(206, headers: [.contentRange: "bytes 0-1/5"], body: Data("ON".utf8))
    let client = try await client(ScriptedTransport(sequence: [world.response("one-1"), part]))
    world.clock.advance(by: .seconds(61))

    #expect(try await client.resource(try asking("bytes=0-1")).value.text == "ON")
  }

  @Test func `a stale complete copy answers a range without a network`() async throws {
    let lost = ScriptedResponse.failure(.connection(.refused, url: ClientWorld.url))
    let client = try await client(ScriptedTransport(sequence: [world.response("one-1"), lost]))
    world.clock.advance(by: .seconds(61))
    let offline = ResourcePolicy { $0.network = .forbidden }

    let forbidden = try await client.resource(try asking("bytes=0-1"), policy: offline).value
    let failed = try await client.resource(try asking("bytes=0-1")).value

    for part in [forbidden, failed] {
      #expect(part.status == 206 && part.freshness == .stale)
      #expect(try part.text == "on")
    }
  }

  @Test func `RFC 9530 2: a part does not have the digest of the whole content`() async throws {
    let headers: HTTPHeaders = [
      .eTag: "\"v1\"", "Content-Digest": "sha-256=:\(Self.digest):",
      "Repr-Digest": "sha-256=:\(Self.digest):", "Content-MD5": "x",
    ]
    let client = try await client(
      ScriptedTransport(sequence: [world.response("one", headers: headers)])
    )

    let part = try await client.resource(try asking("bytes=0-1")).value

    #expect(part.status == 206)
    #expect(part.headers["Repr-Digest"] == headers["Repr-Digest"])
    #expect(part.headers["Content-Digest"] == nil && part.headers["Content-MD5"] == nil)
  }

  /// The SHA-256 of "one" in Base64.
  private static let digest = "dpLDrTVAu4A8Ags67mbNiIcSMjTqDG5xQ8Ct1z/0Me0="

  @Test func `a part of a large body on disk is read from its file`() async throws {
    let sandbox = StoreSandbox()
    let disk = DiskStore(directory: sandbox.url)
    let bytes = noise(3 << 20)
    let transport = ScriptedTransport(sequence: [
      ScriptedResponse(
        headers: [.cacheControl: "max-age=60", .date: HTTPDate.format(world.clock.date)],
        body: bytes
      )
    ])
    let client = world.client(transport) {
      $0.disk = disk
      $0.memory = nil
    }
    _ = try await client.resource(try world.request).value

    let part = try await client.resource(try asking("bytes=1000000-2999999")).value

    #expect(part.source == .disk)
    #expect(try part.data() == bytes[1_000_000..<3_000_000])
    var pieces = Data()
    for try await piece in part.body.chunks(ofCount: 300_000) { pieces.append(piece) }
    #expect(pieces == bytes[1_000_000..<3_000_000])
    try part.body.write(to: sandbox.url.appendingPathComponent("part"))
    #expect(
      try Data(contentsOf: sandbox.url.appendingPathComponent("part"))
        == bytes[1_000_000..<3_000_000]
    )
  }

  @Test func `a faster store does not store a part as the whole`() async throws {
    let sandbox = StoreSandbox()
    let transport = ScriptedTransport(sequence: [world.response("one-1")])
    let client = world.client(transport) { $0.disk = DiskStore(directory: sandbox.url) }
    _ = try await client.resource(try world.request).value
    world.memory.removeAll()

    #expect(try await client.resource(try asking("bytes=0-1")).value.source == .disk)

    #expect(world.memory.count == 0)
    #expect(try await client.resource(try world.request).value.text == "one-1")
  }
}
