#if !canImport(Darwin)
import Foundation
import Freshet
import FreshetTesting
import TestSupport
import Testing

@Suite(
  .enabled(if: SecureServer.isInstalled, "python3 and openssl are not installed"),
  .timeLimit(.minutes(5))
)
struct EndedSocketTests {
  @Test func `a WebSocket ends when TLS does, though its connection stays open`() async throws {
    let server = try await SecureServer("a socket ended by TLS alone")
    let authority = server.authority
    let client = Client {
      $0.transport = CurlTransport {
        $0.proxy = .none
        $0.trust = .file(authority)
      }
    }
    var request = Request(try server.url())
    request.timeouts.total = .seconds(60)
    let socket = client.socket(request) { $0.keepAlive = nil }
    var iterator = socket.makeAsyncIterator()
    #expect(try await iterator.next() == .text("hi"))

    let shown = try server.url().absoluteString
    await #expect(throws: FreshetError.connection(.lost, url: shown)) {
      try await iterator.next()
    }
  }
}
#endif
