import Freshet
import FreshetEssentials

extension LoopbackServer.Answer {
  /// Agrees to a WebSocket (RFC 6455), and lets a closure talk over it.
  ///
  /// ```swift
  /// let server = try LoopbackServer(["/echo": .socket { peer in
  ///   for try await message in peer { try await peer.send(message) }
  /// }])
  /// ```
  ///
  /// - A request that asks for none is answered with 426, one with a wrong version or key with 400.
  /// - The connection is closed with 1000 when the closure returns, and with 1011 when it throws.
  /// - A client that breaks the protocol is told so by a close with 1002, 1007 or 1009.
  /// - The delays of the answer apply to the handshake.
  ///
  /// - Parameters:
  ///   - protocols: The protocols that the server speaks: the first one of the client's that is among
  ///     them is chosen.
  ///   - messageBytes: The longest message that it receives, in bytes; 16 MiB by default.
  ///   - compresses: A Boolean value that indicates whether it agrees to permessage-deflate (RFC 7692);
  ///     `false` by default.
  ///   - serve: A closure that is called for each connection, in a task of its own, which is cancelled
  ///     when the connection has ended.
  /// - Returns: An answer.
  public static func socket(
    protocols: [String] = [],
    messageBytes: Int = 16 << 20,
    compresses: Bool = false,
    _ serve: @escaping @Sendable (LoopbackServer.SocketPeer) async throws -> Void
  ) -> Self {
    Self(
      .socket(
        LoopbackServer.SocketAnswer(
          protocols: protocols,
          messageBytes: messageBytes,
          compresses: compresses,
          serve: serve
        )
      )
    )
  }
}

extension LoopbackServer {
  /// The answer of a route to requests for a WebSocket.
  struct SocketAnswer: Sendable {
    let protocols: [String]
    let messageBytes: Int
    let compresses: Bool
    let serve: @Sendable (SocketPeer) async throws -> Void

    /// Returns whether the messages of a connection may be compressed.
    func deflates(for request: ReceivedRequest) -> Bool {
      compresses
        && WebSocketExtensions.accepts(request.headers.members(of: .secWebSocketExtensions))
    }

    /// Returns the response to a request, of status 101 if it asks for a WebSocket.
    func response(to request: ReceivedRequest) -> Message {
      if let problem = WebSocketHandshake.problem(withRequest: request.method, request.headers) {
        let isUpgrade = request.headers.contains(.secWebSocketKey)
        return Message(
          status: isUpgrade ? 400 : 426,
          headers: [.upgrade: "websocket", .secWebSocketVersion: "13"],
          body: .bytes(.init("\(problem)\n".utf8))
        )
      }
      let key = request.headers[.secWebSocketKey] ?? ""
      var headers: HTTPHeaders = [
        .upgrade: "websocket",
        .connection: "Upgrade",
        .secWebSocketAccept: WebSocketHandshake.accept(key),
      ]
      let offered = request.headers.members(of: .secWebSocketProtocol)
      if let chosen = offered.first(where: protocols.contains) {
        headers[.secWebSocketProtocol] = chosen
      }
      if deflates(for: request) {
        headers[.secWebSocketExtensions] = WebSocketExtensions.deflate
      }
      return Message(status: 101, headers: headers)
    }
  }
}
