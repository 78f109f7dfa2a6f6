import Foundation
import FreshetTesting
import Testing

@testable import Freshet

/// Folders of a store in which somebody has put what does not belong there.
@Suite(.timeLimit(.minutes(5))) struct HostileFolderTests {
  let sandbox = StoreSandbox()
  let heard = Heard<DiskStore.Diagnostic>()

  var directory: URL { sandbox.url.appendingPathComponent("store") }
  var outside: URL { sandbox.url.appendingPathComponent("outside") }

  func store() -> DiskStore {
    DiskStore(directory: directory, onDiagnostic: { [heard] in heard.append($0) })
  }

  /// A store with one large body, closed; where its body is.
  private func filled() async throws -> URL {
    let store = store()
    _ = try await store.keep(try .sample(body: noise(20_000)))
    await store.close()
    let name = try #require(sandbox.files(in: "store/bodies").first)
    return directory.appendingPathComponent("bodies/\(name)")
  }

  private func link(_ place: URL, to target: URL) throws {
    try? FileManager.default.removeItem(at: place)
    try FileManager.default.createSymbolicLink(at: place, withDestinationURL: target)
  }

  @Test(arguments: ["store", "store/bodies", "store/spool", "store/index.sqlite"])
  func `does not follow a link at the path of a store's directory`(name: String) async throws {
    _ = try await filled()
    let place = sandbox.url.appendingPathComponent(name)
    try FileManager.default.moveItem(at: place, to: outside)
    let before = sandbox.files(in: "outside").count
    try link(place, to: outside)
    let store = store()

    await #expect(throws: FreshetError.self) {
      try await store.keep(try .sample("https://example.org/other", body: noise(30_000)))
    }
    #expect(sandbox.files(in: "outside").count == before)
    #expect(heard.all.count >= 1)
  }

  @Test func `a link at the path of a body is a miss, and its target stays`() async throws {
    let place = try await filled()
    try FileManager.default.moveItem(at: place, to: outside)
    try link(place, to: outside)

    let found = await store().find(try .sample(), for: [:])

    #expect(found == nil)
    #expect(FileManager.default.fileExists(atPath: outside.path))
  }

  @Test func `a pipe at the path of a body is a miss without waiting`() async throws {
    let place = try await filled()
    try FileManager.default.removeItem(at: place)
    #expect(mkfifo(place.path, 0o600) == 0)

    #expect(await store().find(try .sample(), for: [:]) == nil)
  }

  @Test(arguments: ["../outside", "./../../outside"])
  func `a database entry for a file elsewhere neither reads nor removes it`(
    name: String
  )
    async throws
  {
    let place = try await filled()
    try FileManager.default.moveItem(at: place, to: outside)
    let bytes = noise(20_000)
    let response = try StoredResponse.sample(body: bytes)
    let digest = SHA256Hasher.digest(of: bytes)
    let record = DiskRecord(response, digest: digest, body: .file(name))
    let database = try SQLiteConnection(
      directory.appendingPathComponent("index.sqlite").path,
      isCreating: false,
      patience: 1_000
    )
    try database.prepare("UPDATE response SET file = ?, stored = ?, fingerprint = ?")
      .run(
        .text(name),
        .real(response.responseTime.timeIntervalSinceReferenceDate),
        .integer(record.fingerprint)
      )
    let store = store()

    #expect(await store.find(try .sample(), for: [:]) == nil)
    try await store.removeAll()
    await store.close()

    #expect(try Data(contentsOf: outside).elementsEqual(bytes))
  }

  @Test func `does not wait for a pipe at the path of a partial body's record`()
    async throws
  {
    let folder = directory.appendingPathComponent("partial")
    _ = try await filled()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data("x".utf8).write(to: folder.appendingPathComponent("ab.part"))
    #expect(mkfifo(folder.appendingPathComponent("ab.head").path, 0o600) == 0)

    try await store().remove(try CacheKey.sample())
  }

  @Test func `temporary names cannot be predicted`() {
    let names = Set((0..<1_000).map { _ in Hexadecimal.unpredictableName() })

    #expect(names.count == 1_000)
    #expect(names.allSatisfy { $0.utf8.count == 32 })
  }

  @Test(arguments: [false, true])
  func `does not write to an existing file with a new one's name`(isLink: Bool) throws {
    let place = sandbox.url.appendingPathComponent("waiting")
    let waiting = isLink ? outside : place
    try Data("kept".utf8).write(to: waiting)
    if isLink { try link(place, to: outside) }

    #expect(throws: FileFailure.self) { try OpenFile(creating: place.path, O_RDWR) }
    #expect(try Data(contentsOf: waiting) == Data("kept".utf8))
  }

  @Test func `does not create a new file through a link`() throws {
    let place = sandbox.url.appendingPathComponent("waiting")
    try link(place, to: outside)

    #expect(throws: FileFailure.self) { try OpenFile(creating: place.path, O_RDWR) }
    #expect(!FileManager.default.fileExists(atPath: outside.path))
  }
}
