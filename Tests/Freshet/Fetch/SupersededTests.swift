import Foundation
import FreshetTesting
import Testing

@testable import Freshet

/// What becomes of a stored copy when something newer comes that is not stored.
@Suite struct SupersededTests {
  let world = ClientWorld()
  let sandbox = StoreSandbox()

  enum Store: CaseIterable { case memory, disk }

  static let lost = ScriptedResponse.failure(.connection(.refused, url: ClientWorld.url))

  private func client(_ store: Store, _ transport: some Transport) -> Client {
    world.client(transport) {
      guard store == .disk else { return }
      var configuration = DiskStore.Configuration()
      configuration.byteLimit = 50_000
      $0.memory = nil
      $0.disk = DiskStore(
        directory: sandbox.url.appendingPathComponent("store"),
        configuration: configuration
      )
    }
  }

  private func newer(_ how: String) -> ScriptedResponse {
    switch how {
    case "vary": world.response("two", headers: [.vary: "*"])
    case "large": world.response(String(repeating: "2", count: 100_000), headers: [:])
    case "no-store": world.response("two", headers: [:])
    default: ScriptedResponse(HTTPStatus(Int(how) ?? 0), body: Data("gone".utf8))
    }
  }

  static let ways: [(Store, String)] = [
    (.memory, "vary"), (.memory, "404"), (.memory, "410"), (.memory, "no-store"),
    (.disk, "vary"), (.disk, "404"), (.disk, "410"), (.disk, "large"),
  ]

  @Test(arguments: ways)
  func `a superseded copy that cannot be replaced is not fresh`(
    store: Store,
    how: String
  ) async throws {
    let transport = ScriptedTransport(sequence: [
      world.response("one", control: "max-age=600"), newer(how), Self.lost,
    ])
    let client = client(store, transport)
    _ = try await client.resource(try world.request).value
    var reload = try world.request
    reload.headers[.cacheControl] = how == "no-store" ? "no-cache, no-store" : "no-cache"
    _ = try? await client.resource(reload).value

    let next = try await client.resource(try world.request).value

    #expect(transport.counts.started == 3)
    #expect(next.freshness == .stale)
    #expect(try next.text == "one")
  }

  @Test(arguments: Store.allCases, ["500", "403", "206"])
  func `a response about a part keeps the copy fresh`(store: Store, how: String) async throws {
    let part = ScriptedResponse(
      206,
      headers: [.contentRange: "bytes 0-1/3", .eTag: "\"v2\""],
      body: Data("tw".utf8)
    )
    let transport = ScriptedTransport(sequence: [
      world.response("one", control: "max-age=600"), how == "206" ? part : newer(how), Self.lost,
    ])
    let client = client(store, transport)
    _ = try await client.resource(try world.request).value
    var reload = try world.request
    reload.headers[.cacheControl] = "no-cache"
    if how == "206" { reload.headers[.range] = "bytes=0-1" }
    _ = try? await client.resource(reload).value

    let next = try await client.resource(try world.request).value

    #expect(transport.counts.started == 2)
    #expect(next.freshness == .fresh)
  }

  @Test func `a copy that cannot be marked on disk is stale in this process`() async throws {
    let store = DiskStore(directory: sandbox.url.appendingPathComponent("store"))
    let kept = try await store.keep(try .sample())
    try await store.writer.perform { transaction throws(SQLiteError) in
      try transaction.run(
        """
        CREATE TEMP TRIGGER stuck BEFORE UPDATE ON response
        BEGIN SELECT RAISE(ABORT, 'stuck'); END
        """
      )
    }

    await store.expire(kept)

    let found = try #require(await store.find(kept.key, for: [:]))
    #expect(found.record.isOutdated)
    try await store.writer.perform { transaction throws(SQLiteError) in
      try transaction.run("DROP TRIGGER stuck")
    }
    _ = try await store.keep(try .sample(time: 2_000))
    #expect(await store.find(kept.key, for: [:])?.record.isOutdated == false)
  }
}
