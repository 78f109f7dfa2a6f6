import Foundation
import FreshetTesting
import Testing

@testable import Freshet

/// What stands in the files of a store on a disk, byte by byte: in its database and log, and in the records of bodies that
/// have not arrived whole.
@Suite struct StoreFilesTests {
  let world = ClientWorld()
  let sandbox = StoreSandbox()

  /// Each holds the secret.
  static let answered: HTTPHeaders = [
    .setCookie: "id=hush; Path=/", "Set-Cookie2": "id=hush", "set-COOKIE": "b=hush",
    "WWW-Authenticate": "Negotiate hush", "Proxy-Authenticate": "Basic realm=hush",
    "Authentication-Info": "nextnonce=hush", "Proxy-Authentication-Info": "nextnonce=hush",
    "X-Auth-Token": "hush", "X-CSRF-Token": "hush", "X-Session-Id": "hush", "X-Api-Key": "hush",
    "Authorization": "Bearer hush",
  ]
  static let asked: HTTPHeaders = [
    .authorization: "Bearer hush", .cookie: "id=hush", "X-Tenant": "hush", "X-Pin": "a, hush",
    "Accept-Language": "hush", "X-Api-Key": "hush", "Ocp-Apim-Subscription-Key": "hush",
  ]
  static let vary: HTTPHeaders = [
    .vary: "Cookie, X-Tenant, x-pin, Accept-Language, X-Api-Key, Ocp-Apim-Subscription-Key"
  ]
  static let shown: HTTPHeaders = [.eTag: "\"seen\"", "X-Shown": "seen", "Signature": "a=:seen:"]

  private var disk: DiskStore {
    DiskStore(directory: sandbox.url.appendingPathComponent("store"))
  }

  private func client(_ disk: DiskStore, _ transport: some Transport) -> Client {
    world.client(transport) {
      $0.memory = nil
      $0.disk = disk
      $0.secretHeaders = ["X-Tenant", "X-Pin", "Accept-Language"]
    }
  }

  private var request: Request {
    get throws { Request(.get, try world.request.url, headers: Self.asked) }
  }

  /// The files that hold the secret; all have what may be seen.
  private func telling() throws -> [String] {
    let files = sandbox.files()
    #expect(!files.isEmpty)
    let bytes = try files.map {
      try Data(contentsOf: sandbox.url.appendingPathComponent($0))
    }
    #expect(bytes.contains { $0.range(of: Data("seen".utf8)) != nil })
    return zip(files, bytes)
      .filter { file, bytes in
        ["hush", Data("hush".utf8).base64EncodedString()]
          .contains { bytes.range(of: Data($0.utf8)) != nil }
      }
      .map(\.0)
  }

  @Test func `no secret field of a response or a selection is in any file`() async throws {
    let headers = Self.answered.merging(Self.vary).merging(Self.shown)
      .merging(["X-Tenant": "hush"])
    let transport = ScriptedTransport { request in
      let isSame = request.headers.contains(.ifNoneMatch)
      return world.response(isSame ? "" : "water", status: isSame ? 304 : 200, headers: headers)
    }
    let disk = disk
    let client = client(disk, transport)

    #expect(try await client.resource(try request).value.headers["X-Auth-Token"] == "hush")
    #expect(try telling() == [])
    world.clock.advance(by: .seconds(61))
    #expect(try await client.resource(try request).value.text == "water")
    #expect(transport.counts.started == 2)
    #expect(try telling() == [])
    #expect(try await client.resource(try request).value.source == .disk)

    await disk.close()
    #expect(try telling() == [])
  }

  @Test func `no secret of a response that is stored by hand is in any file`() async throws {
    let disk = disk
    let url = try #require(URL(string: "https://ann:hush@example.org/#access_token=hush"))
    let headers = Self.answered.merging(Self.vary).merging(Self.shown)
    let response = StoredResponse(
      key: try .sample(),
      varying: VaryingFields(response: headers, request: Self.asked),
      head: ResponseHead(status: .ok, headers: headers, url: url),
      body: ResourceBody(Data("water".utf8)),
      requestTime: Date(),
      responseTime: Date()
    )
    _ = try await disk.keep(response)

    #expect(try telling() == [])
    let found = try #require(await disk.find(try .sample(), for: Self.asked))
    #expect(found.head.headers["X-Shown"] == "seen")
    #expect(found.head.url.absoluteString == "https://example.org/")
    #expect(await disk.find(try .sample(), for: [:]) == nil)
    for name in Self.asked.map(\.name) where name != "Accept-Language" {
      var other = Self.asked
      other[name] = "another"
      #expect(await disk.find(try .sample(), for: other) == nil)
    }
  }

  @Test func `no secret is in the record of a partial body`() async throws {
    let body = noise(3_000_000)
    let headers = Self.answered.merging(Self.vary).merging(Self.shown)
      .merging([.contentLength: "6000000", "X-Tenant": "hush"])
    let lost = FreshetError.connection(.lost, url: "http://a.example/logo")
    let transport = ScriptedTransport { _ in
      ScriptedResponse(headers: headers, body: body).failing(with: lost, at: .afterChunks(1))
    }
    let client = client(disk, transport)

    _ = try? await client.resource(try request).value

    #expect(sandbox.files().contains { $0.hasSuffix(".head") })
    #expect(try telling() == [])
  }

  @Test func `opening removes an earlier version's responses, partial bodies and old databases`()
    async throws
  {
    let first = disk
    _ = try await first.keep(try .sample(headers: [.eTag: "\"seen\"", "X-Old": "hush"]))
    await first.close()
    let folder = sandbox.url.appendingPathComponent("store")
    let database = try SQLiteConnection(
      folder.appendingPathComponent("index.sqlite").path,
      isCreating: false,
      patience: 1_000
    )
    try database.run("PRAGMA user_version = 2")
    let partial = folder.appendingPathComponent("partial")
    try FileManager.default.createDirectory(at: partial, withIntermediateDirectories: true)
    for name in ["partial/a.part", "partial/a.head", "index.sqlite.corrupt"] {
      try Data("hush".utf8).write(to: folder.appendingPathComponent(name))
    }

    let second = disk
    _ = try await second.keep(try .sample(headers: [.eTag: "\"seen\""]))

    #expect(try telling() == [])
  }
}
