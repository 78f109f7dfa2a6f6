import Foundation
import FreshetTesting
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

  @Test func `a hit that goes to memory keeps no file open`() async throws {
    let text = String(repeating: "water", count: 20_000)
    let transport = ScriptedTransport(sequence: [world.response(text)])
    _ = try await client(transport).resource(try world.request).value

    let resource = try await client(transport).resource(try world.request).value

    #expect(resource.origin == .disk)
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

    #expect(resource.origin == .network)
    #expect(try resource.text == text)
  }
}
