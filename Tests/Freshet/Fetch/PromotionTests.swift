import Foundation
import FreshetTesting
import TestSupport
import Testing

@testable import Freshet

/// What becomes of a hit on the disk that a memory store keeps as well.
@Suite struct PromotionTests {
  let world = ClientWorld()
  let sandbox = StoreSandbox()

  private func client(_ transport: ScriptedTransport) -> Client {
    world.client(transport) {
      $0.disk = DiskStore(directory: sandbox.url)
      $0.memory = MemoryStore()
    }
  }

  @Test func `a hit that is promoted to memory keeps no file open`() async throws {
    let text = String(repeating: "water", count: 20_000)
    let transport = ScriptedTransport(sequence: [world.response(text)])
    _ = try await client(transport).resource(try world.request).value

    let resource = try await client(transport).resource(try world.request).value

    #expect(resource.source == .disk)
    #expect(try resource.text == text)
    #expect(resource.body.fileURL == nil)
    #expect(openDescriptors(below: sandbox.url.appendingPathComponent("bodies")) == 0)
  }

  @Test func `a hit whose file was damaged is downloaded again`() async throws {
    let text = String(repeating: "water", count: 20_000)
    let transport = ScriptedTransport(sequence: [world.response(text), world.response(text)])
    _ = try await client(transport).resource(try world.request).value
    let file = try #require(sandbox.files(in: "bodies").first)
    let handle = try FileHandle(
      forUpdating: sandbox.url.appendingPathComponent("bodies/\(file)")
    )
    try handle.write(contentsOf: Data("fire!".utf8))
    try handle.close()

    let resource = try await client(transport).resource(try world.request).value

    #expect(resource.source == .network)
    #expect(try resource.text == text)
  }

  @Test func `an unreadable stale copy leaves the network's failure as the error`()
    async throws
  {
    let writer = try SpoolWriter(Spool(directory: sandbox.url, threshold: 0))
    try writer.append(noise(5_000))
    let body = try writer.finish().body
    truncate(try #require(body.fileURL).path, 100)
    let request = try world.request
    let copy = Fetch.Expired(
      context: FetchContext(request: request, partition: ""),
      response: try .sample(ClientWorld.url, body: body),
      source: .disk,
      uses: [.onError],
      explanation: Explanation()
    )
    let lost = FreshetError.connection(.refused, url: ClientWorld.url)

    let error = await #expect(throws: FreshetError.self) {
      try await FetchChain(OneStep(step: .expired(copy)))
        .revalidate(over: ScriptedTransport(sequence: [.failure(lost)]))
        .persist(in: MemoryStore())
        .settle()
        .value
    }

    #expect(error == lost)
  }

  @Test func `a hit that is too large for memory still answers`() async throws {
    let text = String(repeating: "water", count: 20_000)
    let transport = ScriptedTransport(sequence: [world.response(text)])
    _ = try await client(transport).resource(try world.request).value
    let small = world.client(transport) {
      $0.disk = DiskStore(directory: sandbox.url)
      $0.memory = MemoryStore(configuration: .init(costLimit: 80_000))
    }

    let resource = try await small.resource(try world.request).value

    #expect(resource.source == .disk)
    #expect(try resource.text == text)
  }
}

/// A sequence of one step.
private struct OneStep: AsyncSequence, Sendable {
  let step: Fetch

  struct Iterator: AsyncIteratorProtocol {
    var step: Fetch?

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> Fetch? { step.take() }
  }

  func makeAsyncIterator() -> Iterator { Iterator(step: step) }
}
