import Foundation
import FreshetTesting
import Testing

@testable import Freshet

/// What a store on a disk writes in the place of credentials.
@Suite struct SaltTests {
  let sandbox = StoreSandbox()
  static let asked: HTTPHeaders = [.authorization: "Bearer hush", .cookie: "id=hush"]
  static let answered: HTTPHeaders = [.eTag: "\"1\"", .vary: "Cookie"]

  func store(_ name: String = "store") -> DiskStore {
    DiskStore(directory: sandbox.url.appendingPathComponent(name))
  }

  private func response(_ body: String = "water", time: Double = 1_000) throws -> StoredResponse {
    try .sample(body: Data(body.utf8), headers: Self.answered, request: Self.asked, time: time)
  }

  private func bytes() throws -> Data {
    try sandbox.files()
      .reduce(into: Data()) { bytes, name in
        bytes += try Data(contentsOf: sandbox.url.appendingPathComponent(name))
      }
  }

  @Test func `no file of a store has the digest of a credential`() async throws {
    let store = store()
    _ = try await store.keep(try response())
    let partial = PartialRecord(
      key: try .sample(),
      varying: try response().varying,
      head: try response().head,
      tags: [],
      requestTime: Date(),
      responseTime: Date()
    )
    try partial.line.write(to: sandbox.url.appendingPathComponent("partial"))
    await store.close()

    let written = try bytes()

    #expect(written.range(of: Data("hush".utf8)) == nil)
    for value in ["Bearer hush", "id=hush"] {
      let digest = SHA256Hasher.digest(of: Data(value.utf8)).hex
      #expect(written.range(of: Data(digest.utf8)) == nil)
    }
    #expect(partial.varyingFields.match(Self.asked))
  }

  @Test func `two stores hash a credential differently, and each finds its own`() async throws {
    var hashes: Set<String> = []
    var salts: Set<String> = []
    for name in ["first", "second"] {
      let store = store(name)
      _ = try await store.keep(try response(name))

      let found = await store.find(try .sample(), for: Self.asked)
      #expect(try found?.body.data() == Data(name.utf8))
      #expect(await store.find(try .sample(), for: [.cookie: "id=other"]) == nil)
      let index = sandbox.url.appendingPathComponent("\(name)/index.sqlite").path
      let database = try SQLiteConnection(index, isCreating: false, patience: 1_000)
      hashes.insert(try text("SELECT hex(varying) FROM response", in: database))
      salts.insert(try text("SELECT text FROM salt", in: database))
    }

    #expect(hashes.count == 2 && salts.count == 2)
  }

  /// Returns the text in the first row of a query.
  private func text(_ query: String, in database: SQLiteConnection) throws -> String {
    let select = try database.prepare(query)
    try #require(try select.step())
    return try #require(select.textIfText(0))
  }

  @Test func `fields with two salts hash a credential differently, and match it`() throws {
    let plain = try response().varying
    let (first, second) = (plain.salted("a"), plain.salted("b"))

    #expect(Set([plain, first, second]).count == 3)
    for fields in [first, second] {
      #expect(fields.match(Self.asked))
      #expect(!fields.match([.authorization: "Bearer other", .cookie: "id=hush"]))
      #expect(!fields.match([:]))
      #expect(fields.unsalted(for: Self.asked) == plain)
      #expect(fields.salted("c") == fields)
    }
  }

  @Test func `the digest of a credential does not give access to its responses`() throws {
    let plain = try response().varying
    let stolen = HTTPHeaders(
      plain.fields.map { HTTPHeaders.Field(name: HTTPHeaders.Name($0.name), value: $0.value ?? "") }
    )

    #expect(!plain.match(stolen))
  }

  @Test func `replaces, refreshes and removes what it finds, after reopening too`() async throws {
    _ = try await store().keep(try response("one"))
    let store = store()
    _ = try await store.keep(try response("two", time: 2_000))
    let found = try #require(await store.find(try .sample(), for: Self.asked))
    #expect(try found.body.data() == Data("two".utf8))
    #expect(found.varying == (try response().varying))
    #expect(try await store.statistics().count == 1)

    _ = try await store.refresh(try response("two", time: 3_000))
    let refreshed = await store.find(try .sample(), for: Self.asked)
    #expect(refreshed?.responseTime == (try response(time: 3_000)).responseTime)
    #expect(await store.find(try .sample(), for: [.cookie: "id=other"]) == nil)

    try await store.remove(found)
    #expect(try await store.statistics().count == 0)
  }

  @Test(arguments: ["Accept-Language", "X-Version", "Cookie", "X-Tenant"])
  func `no file contains a selecting value, and a lookalike digest is not one`(
    name: String
  ) throws {
    let asked = HTTPHeaders([.init(name: HTTPHeaders.Name(name), value: "hush$hush")])
    let plain = VaryingFields(response: [.vary: name], request: asked)
    let salted = plain.salted("a")
    let stolen = HTTPHeaders([
      .init(name: HTTPHeaders.Name(name), value: salted.fields[0].value ?? "")
    ])

    #expect(salted.fields[0].value?.contains("hush") == false)
    #expect(salted.match(asked))
    #expect(!salted.match(stolen))
    #expect(salted.unsalted(for: asked) == plain)
  }
}
