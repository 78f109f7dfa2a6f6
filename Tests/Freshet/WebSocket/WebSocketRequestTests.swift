import Foundation
import FreshetTesting
import Testing

@testable import Freshet

/// The request of a handshake, and where it is sent.
@Suite(.timeLimit(.minutes(5))) struct WebSocketRequestTests {
  /// Redirects from `a.test` to `b.test`, which agrees to a WebSocket.
  private static func redirecting(choosing name: String? = nil) -> ScriptedTransport {
    ScriptedTransport { request in
      request.url.host() == "a.test"
        ? ScriptedResponse(307, headers: [.location: "http://b.test/"])
        : .socket(for: request, choosing: name)
    }
  }

  /// Returns the failure of a socket with these protocols, which has ended.
  private static func failure(
    over transport: ScriptedTransport,
    _ protocols: [String]
  ) async throws -> FreshetError? {
    let url = try #require(URL(string: "http://a.test/"))
    let socket = Client { $0.transport = transport }
      .socket(at: url) { $0.protocols = protocols }
    return await #expect(throws: FreshetError.self) { for try await _ in socket {} }
  }

  @Test(
    arguments: [
      ["bearer.abc"], ["chat", "bearer.abc"], ["access_token", "abc"],
      ["base64url.bearer.authorization.k8s.io.YWJj", "v4.channel.k8s.io"],
      ["eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.AAAAAAAA"],
    ]
  )
  func `a token in a protocol is not sent to another origin`(protocols: [String]) async throws {
    let transport = Self.redirecting()

    let error = try await Self.failure(over: transport, protocols)

    // The server agrees, and is gone then.
    #expect(error?.kind == "connection")
    let sent = transport.requests.map { $0.headers[.secWebSocketProtocol] }
    #expect(sent == [protocols.joined(separator: ", "), nil])
  }

  @Test(arguments: ["..", ".", ""])
  func `a path that no other request is sent to is refused`(room: String) async throws {
    let transport = Self.redirecting()
    let socket = Client { $0.transport = transport }.socket(.get("wss://b.test/rooms/\(room)/ws"))

    let error = await #expect(throws: FreshetError.self) { for try await _ in socket {} }

    #expect(error?.kind == "invalidRequest")
    #expect(transport.requests.isEmpty)
  }

  @Test func `other protocols are sent to another origin`() async throws {
    let transport = Self.redirecting(choosing: "graphql-ws")

    let error = try await Self.failure(over: transport, ["chat", "graphql-ws"])

    #expect(error?.kind == "connection")
    let sent = transport.requests.map { $0.headers[.secWebSocketProtocol] }
    #expect(sent == ["chat, graphql-ws", "chat, graphql-ws"])
  }

  @Test func `another origin cannot choose a protocol that it was not sent`() async throws {
    let transport = Self.redirecting(choosing: "chat")

    let error = try await Self.failure(over: transport, ["chat", "bearer.abc"])

    #expect(error?.kind == "invalidResponse")
  }

  @Test(
    arguments: [(.post, nil), (.head, nil), (.get, .text("mine"))] as [(HTTPMethod, RequestBody?)]
  )
  func `anything but a GET without a body is refused`(
    method: HTTPMethod,
    body: RequestBody?
  ) async throws {
    let transport = ScriptedTransport { .socket(for: $0) }
    let request = Request(method, try #require(URL(string: "http://a.test/")), body: body)
    let socket = Client { $0.transport = transport }.socket(request)

    let error = await #expect(throws: FreshetError.self) { for try await _ in socket {} }

    #expect(error?.kind == "invalidRequest")
    #expect(transport.requests.isEmpty)
  }
}
