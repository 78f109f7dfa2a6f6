import Foundation
import FreshetTesting
import Testing

@testable import Freshet

/// Seeds that a fetch leaves out.
@Suite struct SeedPolicyTests {
  let sandbox = StoreSandbox()

  private func client(_ transport: ScriptedTransport) throws -> (Client, URL) {
    var builder = try SeedBuilder(directory: sandbox.url)
    let seed = try StoredResponse.sample(
      "https://example.org/logo",
      body: Data("seed".utf8),
      headers: [.eTag: "\"1\"", .cacheControl: "max-age=60"],
      time: Date().timeIntervalSinceReferenceDate
    )
    try builder.add(seed)
    try builder.write()
    let client = Client {
      $0.transport = transport
      $0.seeds = SeedStore(directory: sandbox.url)
    }
    return (client, seed.head.url)
  }

  @Test func `a fetch without seeds downloads a shipped resource`() async throws {
    let (client, url) = try client(
      ScriptedTransport(sequence: [ScriptedResponse(body: Data("new".utf8))])
    )
    #expect(try await client.resource(at: url).value.source == .seed)

    // The memory has taken the seed over.
    #expect(try await client.resource(at: url).value.source == .memory)

    let resource = try await client.resource(at: url) { $0.seeds = .ignored }.value

    #expect(resource.source == .network)
    #expect(try resource.data() == Data("new".utf8))
  }

  @Test func `finds nothing without seeds and without a network`() async throws {
    let (client, url) = try client(ScriptedTransport(sequence: [ScriptedResponse(503)]))
    let policy = ResourcePolicy(network: .forbidden, seeds: .ignored)

    await #expect(throws: FreshetError.notStored(url: url.absoluteString)) {
      try await client.resource(at: url, policy: policy).value
    }
  }

  @Test func `a download to a file can use a seed or ignore it`() async throws {
    let (client, url) = try client(
      ScriptedTransport(sequence: [ScriptedResponse(body: Data("new".utf8))])
    )
    let file = sandbox.url.appending(path: "file")

    _ = try await client.download(url, to: file).value
    #expect(try Data(contentsOf: file) == Data("seed".utf8))
    _ = try await client.download(url, to: file, policy: ResourcePolicy(seeds: .ignored)).value
    #expect(try Data(contentsOf: file) == Data("new".utf8))
  }
}
