import Foundation
import Freshet
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
    let client = Client {
      $0.retry = RetryPolicy(attempts: 2, after: .milliseconds(15))
    }
    let inspector = try Inspector(port: 0) {
      $0.announce = { _ in }
      $0.bodies = .shown(upTo: 64 << 10)
    }
    inspector.add(client, name: "api.example")
    try await Self.use(client, server)
    let browser = try Browser()
    let url = try #require(inspector.url).absoluteString
    let pictures = [
      ("inspector-calls", "calls", 1_180, 520), ("inspector-call", "call=4", 1_180, 760),
      ("inspector-stores", "stores", 1_180, 560), ("inspector-narrow", "calls", 500, 720),
    ]
    for (name, fragment, width, height) in pictures {
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
    return try LoopbackServer([
      "/feed": json(40, "max-age=300").delayed(by: .milliseconds(45)),
      "/users/7": json(3, "no-cache").delayed(by: .milliseconds(30)),
      "/news": json(400, "max-age=60, stale-while-revalidate=600")
        .dripped(2_000, every: .milliseconds(6)),
      "/old": .redirect(to: "/feed"),
      "/flaky": .sequence([.status(503), json(2, "max-age=60").delayed(by: .milliseconds(12))]),
      "/missing": .status(404),
      "/logo.png": .content(
        Data(repeating: 0x89, count: 90_000),
        type: "image/png",
        cacheControl: "max-age=86400"
      ),
    ])
  }

  private static func use(_ client: Client, _ server: LoopbackServer) async throws {
    func request(_ path: String) -> Request { Request(.get, server.url("/\(path)")) }
    for path in ["feed", "users/7", "news", "users/7", "old", "flaky", "logo.png", "feed", "news"] {
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
}
