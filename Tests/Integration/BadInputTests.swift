import Foundation
import Freshet
import FreshetTesting
import Testing

/// What the world can get wrong, seen through a client with stores: one typed error each, and the
/// good copy is still there afterwards.
@Suite struct BadInputTests {
  let server: LoopbackServer
  let folder: TemporaryDirectory
  let clock = VirtualClock()

  init() throws {
    folder = try TemporaryDirectory()
    let clock = clock
    server = try LoopbackServer { $0.now = { clock.date } }
  }

  private var client: Client {
    let clock = clock
    return Client {
      $0.disk = DiskStore(directory: folder.file("store"))
      $0.now = { clock.date }
      // What breaks is to fail, not to be taken up.
      $0.policy.resumptions = 0
    }
  }

  private static let good = LoopbackServer.Answer.content(
    Data("good".utf8),
    eTag: "\"v1\"",
    cacheControl: "max-age=60, must-revalidate"
  )

  /// Without a strong validator, a transfer that breaks cannot be resumed.
  private static let changed = LoopbackServer.Answer.content(
    Data("changed".utf8),
    cacheControl: "max-age=60"
  )

  static let cases: [(String, LoopbackServer.Answer, String)] = [
    ("truncated", changed.truncated(after: 2), "connection"),
    ("reset before the head", .resetBeforeResponse, "connection"),
    ("reset in the body", changed.reset(after: 2), "connection"),
    ("closed before the response", .closeBeforeResponse, "connection"),
    (
      "shorter than it says", .raw("HTTP/1.1 200 OK\r\nContent-Length: 400\r\n\r\nab"), "connection"
    ),
    ("a redirect loop", .redirect(to: "/x"), "redirect"),
    ("a redirect to another scheme", .redirect(to: "file:///etc/passwd"), "redirect"),
    ("not HTTP", .raw("SSH-2.0-OpenSSH_9.2\r\n\r\n"), "invalidResponse"),
    ("a missing page", .status(404), "status"),
    (
      "a header bomb",
      .raw("HTTP/1.1 200 OK\r\n" + String(repeating: "X: 1\r\n", count: 2_000) + "\r\n"),
      "limitExceeded"
    ),
    (
      "a huge header",
      .raw("HTTP/1.1 200 OK\r\nX: " + String(repeating: "x", count: 300_000) + "\r\n\r\n"),
      "limitExceeded"
    ),
    (
      "a length that is no number",
      .raw("HTTP/1.1 200 OK\r\nContent-Length: two\r\n\r\nab"),
      "invalidResponse"
    ),
    (
      "two lengths",
      .raw("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"),
      "invalidResponse"
    ),
    (
      "broken gzip",
      .content(Data("no gzip".utf8), headers: [.contentEncoding: "gzip"]),
      "invalidResponse"
    ),
    (
      "a broken chunk",
      .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nab\r\n0\r\n\r\n"),
      "invalidResponse"
    ),
  ]

  @Test(arguments: cases)
  func `gives one typed error and keeps the good copy`(
    name: String,
    answer: LoopbackServer.Answer,
    kind: String
  ) async throws {
    let client = client
    server.route("/x", Self.good)
    _ = try await client.resource(at: server.url("/x")).value
    clock.advance(by: .seconds(61))
    server.route("/x", answer)

    let error = await #expect(throws: FreshetError.self) {
      try await client.resource(at: server.url("/x")).value
    }
    let offline = ResourcePolicy { $0.network = .forbidden }
    let kept = try await client.resource(at: server.url("/x"), policy: offline).value
    server.route("/x", Self.good)
    let next = try await client.resource(at: server.url("/x")).value

    #expect(error?.kind == kind)
    #expect(try kept.data() == Data("good".utf8))
    #expect(try next.data() == Data("good".utf8))
    await client.configuration.disk?.close()
  }

  @Test(arguments: [
    ("http://nobody.invalid/", "connection"), ("http://127.0.0.1:1/", "connection"),
    ("ftp://example.org/", "invalidRequest"), ("http://", "invalidRequest"),
    ("no url at all", "invalidRequest"),
  ])
  func `a URL without a server is one typed error`(text: String, kind: String) async {
    let error = await #expect(throws: FreshetError.self) {
      try await client.resource(try Request(text)).value
    }

    #expect(error?.kind == kind)
  }
}
