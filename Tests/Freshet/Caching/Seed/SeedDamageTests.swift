import Foundation
import Freshet
import Testing

/// Folders of seeds that are not what they must be.
@Suite struct SeedDamageTests {
  let sandbox = StoreSandbox()
  let heard = Heard<SeedStore.Diagnostic>()
  let folder: URL

  static let body = Data("water".utf8)
  static let digest = "bea14c3ae5e7d9bd92c9d6c2c4de3fc9a8ceaf64f6c0ba4bd0b2c1a7ad8dfc53"

  init() throws {
    folder = sandbox.url.appendingPathComponent("seeds")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private func store() -> SeedStore {
    SeedStore(directory: folder) { [heard] in heard.append($0) }
  }

  private func write(_ manifest: String) throws {
    try Data(manifest.utf8).write(to: folder.appendingPathComponent("seeds.json"))
  }

  /// A manifest of one seed, with a member replaced.
  private func write(_ member: String, _ value: String) throws {
    var members = [
      "url": #""https://example.org/logo.png""#, "status": "200", "headers": "{}",
      "file": #""logo.png""#, "length": "5",
      "sha256": "\"\(try ResourceBody(Self.body).sha256().hex)\"",
      "received": #""2026-01-01T00:00:00Z""#,
    ]
    members[member] = value
    let text = members.map { "\"\($0.key)\": \($0.value)" }.joined(separator: ",")
    try write(#"{"format":"freshet-seeds","version":1,"seeds":[{\#(text)}]}"#)
  }

  private func found() async throws -> StoredResponse? {
    await store().find(try .sample(), for: [:])
  }

  @Test func `a manifest written by hand works`() async throws {
    try Self.body.write(to: folder.appendingPathComponent("logo.png"))
    try write("status", "200")

    #expect(try await found()?.body.data() == Self.body)
    #expect(heard.all.isEmpty)
  }

  @Test func `a URL written by hand has its characters encoded, and no encoded one again`()
    async throws
  {
    try Self.body.write(to: folder.appendingPathComponent("logo.png"))
    try write("url", #""https://example.org/logo.png?size[x]=a%20b""#)
    let url = "https://example.org/logo.png?size%5Bx%5D=a%20b"

    #expect(store().seeds.map(\.url.absoluteString) == [url])
    #expect(try await store().find(.sample(url), for: [:])?.body.data() == Self.body)
  }

  static let hostile: [(String, String)] = [
    ("file", #""../logo.png""#), ("file", #""/etc/hostname""#), ("file", #"".""#),
    ("file", #"".logo.png""#), ("file", #""""#), ("file", #""folder/logo.png""#),
    ("file", #""logo.png\u0000""#), ("file", #""folder""#), ("file", #""link.png""#),
    ("file", #""pipe""#), ("file", #""missing.png""#), ("length", "4"), ("length", "-1"),
    ("length", "99999999999"), ("sha256", "\"\(digest)\""), ("sha256", #""abc""#),
    ("status", "500"), ("status", "206"), ("headers", #"{"X-A":"1\r\nX-B: 2"}"#),
    ("headers", #"{"X A":"1"}"#),
  ]

  @Test(arguments: hostile)
  func `an entry with an invalid path or field is a miss`(
    member: String,
    value: String
  ) async throws {
    for place in ["logo.png", "folder/logo.png", ".logo.png", "../logo.png"] {
      let url = folder.appendingPathComponent(place)
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(),
        withIntermediateDirectories: true
      )
      try Self.body.write(to: url)
    }
    try FileManager.default.createSymbolicLink(
      at: folder.appendingPathComponent("link.png"),
      withDestinationURL: folder.appendingPathComponent("logo.png")
    )
    #expect(mkfifo(folder.appendingPathComponent("pipe").path, 0o600) == 0)
    try write(member, value)

    #expect(try await found() == nil)
    #expect(heard.all.count == 1)
    #expect(store().verify().count == 1)
  }

  @Test(arguments: [
    #""file:///etc/passwd""#, #""example.org""#, #""""#, #""https://example.org/other""#,
  ])
  func `an invalid URL answers nothing`(url: String) async throws {
    try Self.body.write(to: folder.appendingPathComponent("logo.png"))
    try write("url", url)

    #expect(try await found() == nil)
  }

  @Test(arguments: [
    "", "[]", "{}", #"{"format":"other","version":1,"seeds":[]}"#,
    #"{"format":"freshet-seeds","version":2,"seeds":[]}"#,
    #"{"format":"freshet-seeds","version":1,"seeds":[{"url":5}]}"#,
  ])
  func `an invalid manifest means no seeds, and is reported once`(manifest: String) async throws {
    try write(manifest)
    let store = store()

    for _ in 0..<2 { #expect(await store.find(try .sample(), for: [:]) == nil) }

    #expect(heard.all.count == 1)
  }

  @Test(arguments: [
    "<plist><dict><key>a</key><integer>\u{FF}1234567</integer></dict></plist>",
    "<plist>" + String(repeating: "<array>", count: 20_000),
    "bplist00\u{AF}\u{13}\(String(repeating: "\u{FF}", count: 8))\u{8}\0\0\0\0\0\0\u{1}\u{1}"
      + "\0\0\0\0\0\0\0\u{1}\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\u{12}",
  ])
  func `a hostile list of the predecessors means no seeds, and is reported once`(
    list: String
  ) async throws {
    let bytes = list.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    try Data(bytes).write(to: folder.appendingPathComponent("ResourceInfos.plist"))
    let store = store()

    for _ in 0..<2 { #expect(await store.find(try .sample(), for: [:]) == nil) }

    #expect(heard.all.count == 1)
  }

  /// A seed that is too large to be verified when it is found.
  private func writeLargeDamagedSeed() throws {
    var body = noise(600_000)
    var builder = try SeedBuilder(directory: folder)
    let seed = try builder.add(try .sample(body: body))
    try builder.write()
    body[599_999] ^= 1
    try body.write(to: folder.appendingPathComponent(seed.file))
  }

  @Test func `a complete read detects a large damaged body`() async throws {
    try writeLargeDamagedSeed()

    let found = try #require(try await found())

    let error = #expect(throws: FreshetError.self) { try found.body.data() }
    #expect(error?.kind == "corrupted")
    #expect(heard.all.count == 1)
  }

  @Test func `a large seed that a reader has found damaged is a miss from then on`() async throws {
    try writeLargeDamagedSeed()
    let store = store()
    let found = try #require(await store.find(try .sample(), for: [:]))
    #expect(throws: FreshetError.self) { try found.body.data() }

    for _ in 0..<2 { #expect(await store.find(try .sample(), for: [:]) == nil) }

    #expect(heard.all.count == 1)
    #expect(store.verify().count == 1)
  }
}
