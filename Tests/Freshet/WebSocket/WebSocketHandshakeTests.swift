import Foundation
import Testing

@testable import Freshet

@Suite struct WebSocketHandshakeTests {
  private static let key = "dGhlIHNhbXBsZSBub25jZQ=="

  private static func head(_ change: (inout HTTPHeaders) -> Void = { _ in }) throws -> ResponseHead
  {
    var headers: HTTPHeaders = [
      .upgrade: "WebSocket", .connection: "keep-alive, upgrade",
      .secWebSocketAccept: "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=",
    ]
    change(&headers)
    let url = try #require(URL(string: "https://api.test/chat"))
    return ResponseHead(status: 101, headers: headers, url: url)
  }

  private static func problem(_ head: ResponseHead) -> String? {
    WebSocketHandshake.problem(with: head, key: key, protocols: ["chat", "chat.v2"])
  }

  @Test func `answers the key of the standard`() {
    #expect(WebSocketHandshake.accept(Self.key) == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
  }

  @Test func `accepts the right fields in any case, and a protocol that was offered`() throws {
    #expect(Self.problem(try Self.head()) == nil)
    #expect(Self.problem(try Self.head { $0[.secWebSocketProtocol] = "chat.v2" }) == nil)
  }

  @Test func `refuses wrong fields`() throws {
    let changes: [(inout HTTPHeaders) -> Void] = [
      { $0.remove(.upgrade) }, { $0[.upgrade] = "h2c" }, { $0[.connection] = "close" },
      { $0.remove(.secWebSocketAccept) },
      { $0[.secWebSocketAccept] = "s3pPLMBiTxaQ9kYGzzhZRbK+xOO=" },
      { $0.add("x", for: .secWebSocketAccept) },
      { $0[.secWebSocketExtensions] = "permessage-deflate" },
      { $0[.secWebSocketProtocol] = "other" }, { $0[.secWebSocketProtocol] = "Chat" },
    ]
    for change in changes {
      #expect(Self.problem(try Self.head(change)) != nil)
    }
  }

  @Test func `a key has sixteen bytes`() {
    let key = WebSocketHandshake.key(1, 2)
    #expect(Data(base64Encoded: key)?.count == 16)
    #expect(key != WebSocketHandshake.key(2, 1))
  }

  @Test(arguments: [
    ("wss://a.test/x?y=ws:", "https://a.test/x?y=ws:"), ("WS://a.test", "http://a.test"),
    ("https://a.test", nil), ("chat/ws:x", nil), ("", nil),
  ])
  func `the schemes stand for those of HTTP`(url: String, expected: String?) {
    #expect(WebSocketHandshake.overHTTP(url) == expected)
  }
}
