import Foundation
import FreshetTesting
import Testing

@testable import Freshet

/// Seeds that a fetch leaves out.
@Suite struct SeedPolicyTests {
  let sandbox = StoreSandbox()

  /// A client with one seed, whose file then gets other bytes.
  private func client(
    _ transport: ScriptedTransport,
    seed body: Data = Data("seed".utf8),
    damage: Data? = nil
  ) throws -> (Client, URL) {
    var builder = try SeedBuilder(directory: sandbox.url)
    let seed = try StoredResponse.sample(
      "https://example.org/logo",
      body: body,
      headers: [.eTag: "\"1\"", .cacheControl: "max-age=60"],
      time: Date().timeIntervalSinceReferenceDate
    )
    let file = try builder.add(seed).file
    try builder.write()
    try damage?.write(to: sandbox.url.appendingPathComponent(file))
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

  @Test(arguments: [ResourcePolicy.Network.allowed, .forbidden])
  func `a download whose copy of a seed is damaged goes to the network if it may`(
    network: ResourcePolicy.Network
  ) async throws {
    let (client, url) = try client(
      ScriptedTransport(sequence: [ScriptedResponse(body: Data("new".utf8))]),
      seed: noise(600_000),
      damage: noise(600_000, seed: 2)
    )
    let file = sandbox.url.appending(path: "file")
    let download = client.download(url, to: file, policy: ResourcePolicy(network: network))

    if network == .allowed {
      #expect(try await download.value.source == .network)
      #expect(try Data(contentsOf: file) == Data("new".utf8))
    } else {
      let error = await #expect(throws: FreshetError.self) { try await download.value }
      #expect(error?.kind == "corrupted")
      #expect(!FileManager.default.fileExists(atPath: file.path))
    }
  }
}
