import Foundation
import FreshetTesting
import Testing

@testable import Freshet

/// Seeds in the ancestors' format.
@Suite struct DockerSeedsTests {
  let world = ClientWorld()
  let sandbox = StoreSandbox()

  /// Names that Docker itself has given.
  @Test(arguments: [
    (
      "http://media.istockphoto.com/photos/castillala-manchaspain-picture-id535260987",
      "9361dff1a29e9d6104bcb10742ee6b6f_castillala-manchaspain-picture-id535260987"
    ),
    (
      "http://images.freeimages.com/images/previews/aaa/spanish-village-street-1445758.jpg",
      "653ca195caf9f8c3870eea1a2144d72f_spanish-village-street-1445758.jpg"
    ),
  ])
  func `reads the predecessors' names`(url: String, name: String) {
    #expect(DockerSeeds.name(of: url) == name)
  }

  @Test(arguments: [
    ("http://h/d/", "http:/h", "d"),
    ("http://h/d/f?q=1&r=%20", "http:/h/d", "f?q=1&r=%2520"),
    ("http://h/d/f?q=a/b", "http:/h/d/f?q=a", "b"),
    ("http://h//d///f#x", "http:/h/d", "f%23x"),
  ])
  func `accepts a URL for a path`(url: String, folder: String, last: String) {
    let digest = Hexadecimal.text(ChecksumHasher.digest(.md5, of: Data(folder.utf8)))

    #expect(DockerSeeds.name(of: url) == "\(digest)_\(last)")
  }

  @Test func `reads a folder of the predecessors`() async throws {
    let modified = Date(timeIntervalSince1970: 1_443_387_676)
    let name = DockerSeeds.name(of: ClientWorld.url)
    let list = try PropertyListSerialization.data(
      fromPropertyList: [name: modified, "other_x": modified],
      format: .xml,
      options: 0
    )
    try list.write(to: sandbox.url.appendingPathComponent("ResourceInfos.plist"))
    try Data("one".utf8).write(to: sandbox.url.appendingPathComponent(name))
    let transport = ScriptedTransport(sequence: [world.response("", status: 304, headers: [:])])
    let client = world.client(transport) { $0.seeds = SeedStore(directory: sandbox.url) }

    let shown = try await client.resource(try world.request).shown

    #expect(shown == ["seed stale: one, not final", "seed revalidated: one"])
    #expect(transport.requests[0].headers[.ifModifiedSince] == HTTPDate.format(modified))
    let other = try await SeedStore(directory: sandbox.url)
      .find(.sample("http://a.example/x"), for: [:])
    #expect(other == nil)
  }

  @Test func `an invalid list means no seeds`() async throws {
    try Data("no list".utf8).write(to: sandbox.url.appendingPathComponent("ResourceInfos.plist"))
    let heard = Heard<SeedStore.Diagnostic>()
    let store = SeedStore(directory: sandbox.url) { heard.append($0) }

    #expect(await store.find(try .sample(), for: [:]) == nil)
    #expect(heard.all.count == 1)
  }

  @Test(.timeLimit(.minutes(5))) func `does not wait for a pipe at the path of the list`()
    async throws
  {
    #expect(mkfifo(sandbox.url.appendingPathComponent("ResourceInfos.plist").path, 0o600) == 0)
    let heard = Heard<SeedStore.Diagnostic>()
    let seeds = SeedStore(directory: sandbox.url) { heard.append($0) }

    #expect(await seeds.find(try .sample(), for: [:]) == nil)
    #expect(heard.all.count == 1)
  }
}
