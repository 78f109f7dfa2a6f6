import Foundation
import FreshetTesting
import Testing

@testable import Freshet

/// Where the bodies of stored responses rest.
@Suite struct DiskStoreLocationTests {
  let sandbox = StoreSandbox()
  static let request = Request(
    .get,
    URL(string: "https://example.org/logo.png") ?? URL(filePath: "/")
  )

  private func store() -> DiskStore {
    DiskStore(directory: sandbox.url.appending(path: "store"))
  }

  private var bodies: [String] { sandbox.files(in: "store/bodies") }

  @Test(arguments: [0, 10, 16_384, 20_000])
  func `a body has a file, a small one on request`(length: Int) async throws {
    let bytes = noise(length)
    let first = store()
    let kept = try await first.keep(try .sample(body: bytes))
    let before = try await first.statistics()
    #expect(bodies.count == (length > 16_384 ? 1 : 0))

    let file = try #require(try await first.location(for: Self.request))

    #expect(try Data(contentsOf: file) == Data(bytes))
    #expect(try await first.location(for: Self.request) == file)
    #expect(bodies.count == 1)
    #expect(try await first.statistics().bytes == before.bytes)
    await first.close()
    let second = store()
    #expect(try await second.location(for: Self.request) == file)
    let found = try #require(await second.find(kept.key, for: [:]))
    #expect(try found.body.data() == Data(bytes))
    #expect(found.head == kept.head && found.digest == kept.digest)
    #expect(try await second.verify().damaged.isEmpty)

    try await second.remove(kept.key)
    await second.close()
    #expect(bodies.isEmpty)
  }

  @Test func `a missing response and an error have no file`() async throws {
    let store = store()
    #expect(try await store.location(for: Self.request) == nil)
    let client = Client {
      $0.disk = store
      $0.transport = ScriptedTransport(sequence: [
        ScriptedResponse(404, headers: [.cacheControl: "max-age=60"])
      ])
    }
    _ = try? await client.resource(Self.request).value
    #expect(try await store.statistics().count == 1)

    #expect(try await store.location(for: Self.request) == nil)
    #expect(bodies.isEmpty)
  }

  @Test func `the request selects the variant and the partition`() async throws {
    let store = store()
    for language in ["de", "en"] {
      let headers: HTTPHeaders = [.vary: "Accept-Language"]
      let request: HTTPHeaders = [.acceptLanguage: language]
      let body = Data(language.utf8)
      _ = try await store.keep(.sample(body: body, headers: headers, request: request))
    }
    _ = try await store.keep(.sample(body: Data("alice".utf8), partition: "alice"))

    func text(_ language: String?, _ partition: String = "") async throws -> String? {
      var request = Self.request
      request.headers[.acceptLanguage] = language
      let file = try await store.location(for: request, partition: partition)
      return try file.map { try String(contentsOf: $0, encoding: .utf8) }
    }
    #expect(try await text("de") == "de")
    #expect(try await text("en") == "en")
    #expect(try await text("fr") == nil)
    #expect(try await text(nil, "alice") == "alice")
  }

  @Test func `concurrent requests get the same file`() async throws {
    let store = store()
    _ = try await store.keep(.sample(body: Data("water".utf8)))

    let files = try await withThrowingTaskGroup(of: URL?.self) { group in
      for _ in 0..<16 { group.addTask { try await store.location(for: Self.request) } }
      return try await group.reduce(into: Set<URL?>()) { $0.insert($1) }
    }

    #expect(files.count == 1 && !files.contains(nil))
    await store.close()
    #expect(bodies.count == 1)
  }

  @Test func `an expired response keeps its times when its body gets a file`() async throws {
    let store = store()
    let response = try StoredResponse.sample(body: Data("water".utf8))
    _ = try await store.keep(response)
    _ = try await store.location(for: Self.request)

    let found = try #require(await store.find(response.key, for: [:]))
    #expect(found.requestTime == response.requestTime)
    #expect(found.responseTime == response.responseTime)
  }

  @Test func `a client asks with its own fields, base URL and partition`() async throws {
    let store = store()
    let client = Client {
      $0.disk = store
      $0.baseURL = URL(string: "https://example.org/")
      $0.headers = [.acceptLanguage: "de"]
      $0.partition = "alice"
      $0.transport = ScriptedTransport(sequence: [
        ScriptedResponse(
          headers: [.cacheControl: "max-age=60", .vary: "Accept-Language"],
          body: Data("Wasser".utf8)
        )
      ])
    }
    let request = Request.get("logo")
    #expect(try await client.location(for: request) == nil)
    _ = try await client.resource(request).value

    let file = try #require(try await client.location(for: request))
    #expect(try Data(contentsOf: file) == Data("Wasser".utf8))
    #expect(try await Client().location(for: Self.request) == nil)
  }
}
