import Foundation
import Freshet
import Testing

@Suite struct SeedBuilderTests {
  let sandbox = StoreSandbox()

  private var manifest: String {
    get throws {
      try String(contentsOf: sandbox.url.appendingPathComponent("seeds.json"), encoding: .utf8)
    }
  }

  @Test func `writes a readable manifest`() throws {
    var builder = try SeedBuilder(directory: sandbox.url)
    try builder.add(
      try .sample(
        headers: [
          .eTag: "\"1\"", .contentType: "image/png", .setCookie: "a=b", .connection: "close",
          "X-List": "1", "x-list": "2", "X-Auth-Token": "hunter2",
        ],
        time: 0,
        tags: ["logo"]
      )
    )
    try builder.write()

    let digest = try ResourceBody(Data("water".utf8)).sha256().hex
    let file = try #require(sandbox.files().first { $0.hasPrefix("logo-") })
    #expect(
      try manifest == """
        {
          "format" : "freshet-seeds",
          "seeds" : [
            {
              "file" : "\(file)",
              "headers" : {
                "Content-Type" : "image/png",
                "ETag" : "\\"1\\"",
                "X-List" : "1, 2"
              },
              "length" : 5,
              "received" : "2001-01-01T00:00:00Z",
              "sha256" : "\(digest)",
              "status" : 200,
              "tags" : [
                "logo"
              ],
              "url" : "https://example.org/logo.png"
            }
          ],
          "version" : 1
        }

        """
    )
    #expect(file.hasSuffix(".png"))
  }

  @Test func `building again changes nothing, and replaces equal seeds`() throws {
    var manifests: [String] = []
    for text in ["one", "one"] {
      var builder = try SeedBuilder(directory: sandbox.url)
      try builder.add(try .sample(body: Data(text.utf8)))
      try builder.add(try .sample("https://example.org/b", body: Data("b".utf8)))
      try builder.write()
      manifests.append(try manifest)
    }
    let before = try manifest
    #expect(manifests == [before, before])
    var builder = try SeedBuilder(directory: sandbox.url)
    try builder.add(try .sample(body: Data("two!".utf8)))
    try builder.write()

    #expect(before.components(separatedBy: "\"url\"").count == 3)
    #expect(try manifest.components(separatedBy: "\"url\"").count == 3)
    #expect(try manifest.contains("\"length\" : 4"))
    #expect(sandbox.files().count == 3)
  }

  @Test func `a seed that shares its body with a replaced one stays`() async throws {
    let (one, url) = (Data("one".utf8), "https://example.org/b")
    var builder = try SeedBuilder(directory: sandbox.url)
    let first = try builder.add(try .sample("https://example.org/a", body: one))
    let second = try builder.add(try .sample(url, body: one))
    try builder.write()
    let shared = try manifest.replacingOccurrences(of: second.file, with: first.file)
    try Data(shared.utf8).write(to: sandbox.url.appendingPathComponent("seeds.json"))

    var again = try SeedBuilder(directory: sandbox.url)
    try again.add(try .sample("https://example.org/a", body: Data("two!".utf8)))
    try again.write()

    let key = CacheKey(try Request(url))
    let found = await SeedStore(directory: sandbox.url).find(key, for: [:])
    #expect(try found?.body.data() == one)
  }

  @Test func `a manifest that cannot be read is a failure of the store`() throws {
    try FileManager.default.createDirectory(
      at: sandbox.url.appendingPathComponent("seeds.json"),
      withIntermediateDirectories: false
    )

    let error = #expect(throws: FreshetError.self) { try SeedBuilder(directory: sandbox.url) }

    guard case .store = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  static let refused: [(HTTPHeaders, HTTPHeaders)] = [
    ([.cacheControl: "no-store"], [:]), ([.cacheControl: "private"], [:]), ([.vary: "*"], [:]),
    ([:], [.authorization: "Bearer x"]), ([.vary: "Cookie"], [.cookie: "a=b"]),
  ]

  @Test(arguments: refused)
  func `a response for one user is not a seed`(response: HTTPHeaders, request: HTTPHeaders) throws {
    var builder = try SeedBuilder(directory: sandbox.url)
    let sample = try StoredResponse.sample(headers: response, request: request)

    #expect(throws: FreshetError.self) { try builder.add(sample) }
    #expect(sandbox.files().isEmpty)
  }

  @Test(
    arguments: [
      [.cookie: "sid=1"], [.authorization: "Bearer x"], ["X-Api-Key": "x"],
    ] as [HTTPHeaders]
  )
  func `a response to a request with a cookie is not a seed, whatever it varies by`(
    request: HTTPHeaders
  ) throws {
    var builder = try SeedBuilder(directory: sandbox.url)
    let page = try StoredResponse.sample(headers: [.cacheControl: "max-age=60"])

    #expect(throws: FreshetError.self) { try builder.add(page, askedWith: request) }
    #expect(sandbox.files().isEmpty)

    let open = try StoredResponse.sample(headers: [.cacheControl: "public, max-age=60"])
    try builder.add(open, askedWith: request)
    try builder.add(page, askedWith: [.accept: "text/html"])
  }

  @Test func `the folder keeps its seeds until the manifest is written`() async throws {
    var builder = try SeedBuilder(directory: sandbox.url)
    try builder.add(try .sample(body: Data("one".utf8)))
    try builder.write()
    var again = try SeedBuilder(directory: sandbox.url)
    try again.add(try .sample(body: Data("two!".utf8)))
    func text() async throws -> String? {
      let key = CacheKey(try Request("https://example.org/logo.png"))
      let found = await SeedStore(directory: sandbox.url).find(key, for: [:])
      return try found.map { String(decoding: try $0.body.data(), as: UTF8.self) }
    }

    #expect(try await text() == "one")
    try again.write()

    #expect(try await text() == "two!")
    #expect(sandbox.files().count == 2)
  }

  @Test func `a public response to a request with credentials is a seed`() throws {
    var builder = try SeedBuilder(directory: sandbox.url)

    try builder.add(
      try .sample(headers: [.cacheControl: "public"], request: [.authorization: "Bearer x"])
    )
  }

  @Test(arguments: [
    ("https://example.org/a/b/logo.min.js", "logo.min-", ".js"),
    ("https://example.org/", "seed-", ""),
    ("https://example.org/%2e%2e%2fetc", "etc-", ""),
    ("https://example.org/%C3%BC%20x?y=/z", "x-", ""),
    ("https://example.org/" + String(repeating: "n", count: 300) + ".png", "nnn", ".png"),
  ])
  func `names are plain and descriptive`(
    url: String,
    prefix: String,
    suffix: String
  ) throws {
    var builder = try SeedBuilder(directory: sandbox.url)

    let seed = try builder.add(try .sample(url))

    #expect(seed.file.hasPrefix(prefix) && seed.file.hasSuffix(suffix))
    #expect(seed.file.count < 80 && !seed.file.contains("/"))
    #expect(sandbox.files() == [seed.file])
  }
}
