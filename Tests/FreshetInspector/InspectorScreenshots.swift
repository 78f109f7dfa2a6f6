import Foundation
import Freshet
import FreshetModels
import FreshetTesting
import Testing

@testable import FreshetInspector

/// Where the pictures are written, if they are asked for.
private let screenshotFolder = ProcessInfo.processInfo.environment["FRESHET_SCREENSHOTS"]

/// The pictures of the documentation, which `.scripts/inspector.sh` asks for.
@Suite(.enabled(if: screenshotFolder != nil && Browser.path != nil))
struct InspectorScreenshots {
  @Test func `writes the pictures of the documentation`() async throws {
    let folder = URL(filePath: try #require(screenshotFolder), directoryHint: .isDirectory)
    let server = try Self.server()
    let stored = try TemporaryDirectory()
    let models = try await Self.models()
    let client = Client {
      $0.retry = RetryPolicy(retries: 2, after: .milliseconds(15))
      $0.disk = DiskStore(directory: stored.file("store"))
      $0.models = models
    }
    let inspector = try Inspector(port: 0) {
      $0.announce = { _ in }
      $0.bodies = .shown(upTo: 64 << 10)
    }
    inspector.add(client, name: "api.example")
    try await Self.use(client, server)
    let pictures = Pictures(inspector: inspector, folder: folder, browser: try Browser())
    try await pictures.take("inspector-calls", of: "calls", 1_180, 560)
    try await pictures.take("inspector-call", of: "call=4", 1_180, 900)
    try await pictures.take("inspector-narrow", of: "calls", 500, 720)
    try await pictures.take("inspector-stores", of: "stores=/news", 1_180, 1_080)
    try await pictures.take("inspector-narrow-stores", of: "stores", 500, 900)
    await Self.crawl(client, server)
    try await pictures.take("inspector-batches", of: "batches", 1_180, 360)
    try await Self.show(on: inspector)
    try await pictures.take("inspector-live", of: "live", 1_180, 200)
  }

  /// Takes pictures of the page, light and dark.
  private struct Pictures {
    let inspector: Inspector
    let folder: URL
    let browser: Browser

    func take(_ name: String, of fragment: String, _ width: Int, _ height: Int) async throws {
      let url = try #require(inspector.url).absoluteString
      for scheme in [Browser.Scheme.light, .dark] {
        let file = folder.appending(path: name + (scheme == .dark ? "~dark.png" : ".png"))
        let page = try #require(URL(string: "\(url)?still#\(fragment)"))
        try await browser.screenshot(page, width: width, height: height, scheme, to: file)
        #expect(try Data(contentsOf: file).count > 5_000)
      }
    }
  }

  private static func server() throws -> LoopbackServer {
    func json(_ count: Int, _ control: String) -> LoopbackServer.Answer {
      let items = (0..<count).map { #"{"id": \#($0), "title": "Item \#($0)"}"# }
      return .content(
        Data("[\(items.joined(separator: ", "))]".utf8),
        type: "application/json",
        eTag: "\"v\(count)\"",
        cacheControl: control
      )
    }
    func picture(_ count: Int) -> LoopbackServer.Answer {
      .content(
        Data(repeating: 0x89, count: count),
        type: "image/png",
        cacheControl: "max-age=86400"
      )
    }
    func pages(_ number: Int) -> LoopbackServer.Answer {
      .content(
        Data(repeating: UInt8(ascii: "x"), count: 4_000 + 900 * (number % 13)),
        type: "text/html",
        cacheControl: "no-store"
      )
      .delayed(by: .milliseconds(60 + 25 * (number % 5)))
    }
    return try LoopbackServer(
      [
        "/feed": json(40, "max-age=300").delayed(by: .milliseconds(45)),
        "/users/7": json(3, "no-cache").delayed(by: .milliseconds(30)),
        "/news": json(400, "max-age=60, stale-while-revalidate=600")
          .dripped(2_000, every: .milliseconds(6)),
        "/old": .redirect(to: "/feed"),
        "/flaky": .sequence([.status(503), json(2, "max-age=60").delayed(by: .milliseconds(12))]),
        "/missing": .status(404),
        "/logo.png": picture(14_000), "/photos/loue.jpg": picture(31_000),
        "/photos/orbe.jpg": picture(22_000), "/photos/doubs.jpg": picture(18_000),
        "/pages/gone": .status(410), "/pages/broken": .status(500),
      ]
      .merging((1...90).map { ("/pages/\($0)", pages($0)) }) { first, _ in first }
    )
  }

  private static func use(_ client: Client, _ server: LoopbackServer) async throws {
    func request(_ path: String) -> Request { Request(.get, server.url("/\(path)")) }
    let paths = [
      "feed", "users/7", "news", "users/7", "old", "flaky", "logo.png", "photos/loue.jpg",
      "photos/orbe.jpg", "photos/doubs.jpg", "feed", "news",
    ]
    for path in paths {
      var request = request(path)
      request.tags = path == "feed" ? ["home"] : []
      _ = try? await client.resource(request).value
    }
    _ = try? await client.resource(request("missing")).value
    let user = request("users/7")
    async let one = client.resource(user).value
    async let other = client.resource(user).value
    _ = try await (one, other)
    _ = try await client.send(request("feed")).value
  }

  /// Runs a batch long enough for a curve of its rate, in which two items fail.
  private static func crawl(_ client: Client, _ server: LoopbackServer) async {
    let urls = ((1...90).map { "\($0)" } + ["gone", "broken"]).map { server.url("/pages/\($0)") }
    _ = try? await client.batch(urls).run().value
  }

  private static func show(on inspector: Inspector) async throws {
    inspector.show(
      "Drafts",
      AsyncStream {
        for count in 1...3 { $0.yield("\(count) drafts, \(count - 1) of them sent") }
      }
    )
    inspector.show(
      "Upload of holiday.mov",
      AsyncStream {
        for percent in [12, 48, 100] { $0.yield("\(percent) %") }
        $0.finish()
      }
    )
    try await until { inspector.shows.values.map(\.count) == [3, 3] }
  }

  private static func models() async throws -> ModelStore {
    let models = ModelStore.inMemory()
    try await models.save((1...24).map { Spring(id: $0, name: "Spring \($0)") })
    try await models.save((1...7).map { Station(id: $0) })
    return models
  }

  private struct Spring: PersistableModel {
    static let modelName = "Spring"
    let id: Int
    var name: String
  }

  private struct Station: PersistableModel {
    static let modelName = "Station"
    let id: Int
  }
}
