public import FreshetEssentials

extension Client {
  /// Talks with a server over a WebSocket.
  ///
  /// ```swift
  /// let socket = client.socket(at: "wss://example.org/chat") { $0.protocols = ["chat.v2"] }
  /// ```
  ///
  /// - Parameters:
  ///   - path: A full URL with `wss`, `ws`, `https` or `http`, or a path below
  ///     ``Client/Configuration/baseURL``.
  ///   - configure: A closure that changes the default options.
  /// - Returns: A socket, which opens its connection when it is used.
  public func socket(
    at path: RequestPath,
    _ configure: (inout WebSocket.Options) -> Void = { _ in }
  ) -> WebSocket {
    socket(.get(path.overHTTP), configure)
  }

  /// Talks with a server over a WebSocket, see ``socket(_:_:)``.
  ///
  /// - Parameters:
  ///   - url: A URL with `wss`, `ws`, `https` or `http`.
  ///   - configure: A closure that changes the default options.
  /// - Returns: A socket, which opens its connection when it is used.
  public func socket(
    at url: URL,
    _ configure: (inout WebSocket.Options) -> Void = { _ in }
  ) -> WebSocket {
    socket(Request(url), configure)
  }

  /// Talks with a server over a WebSocket that a request opens.
  ///
  /// - ``Request/Timeouts/connect`` and ``Request/Timeouts/firstByte`` limit the handshake, and
  ///   ``Request/Timeouts/total`` of the request, but not that of the client, each connection.
  ///   ``Request/Timeouts/idle`` does not count, see ``WebSocket/KeepAlive``.
  /// - A limit on the number of requests counts an open socket as one.
  ///
  /// - Parameters:
  ///   - request: A `GET` without a body; any other one fails with ``FreshetError/invalidRequest(_:url:)``.
  ///   - configure: A closure that changes the default options.
  /// - Returns: A socket, which opens its connection when it is used.
  public func socket(
    _ request: Request,
    _ configure: (inout WebSocket.Options) -> Void = { _ in }
  ) -> WebSocket {
    let options = WebSocket.Options(configure)
    var request = prepared(request.overHTTP, isEndless: true).overHTTP
    request.timeouts.idle = nil
    request.limits.bodyBytes = nil
    let reconnection = options.reconnection
    let session = WebSocketSession(
      request,
      over: settings.transport,
      options: options,
      clock: reconnection?.clock.map { CallClock($0) } ?? settings.stack.clock,
      generator: reconnection?.generator.map { SharedGenerator($0) } ?? settings.stack.generator,
      now: settings.configuration.now
    )
    return WebSocket(session)
  }
}

extension Request {
  /// The request with `http` for `ws` and `https` for `wss` (RFC 6455 section 3).
  fileprivate var overHTTP: Request {
    var request = self
    switch target {
    case .path(let path):
      request.target = RequestTarget(path.overHTTP)
    case .url(let url):
      guard let text = WebSocketHandshake.overHTTP(url.absoluteString), let url = URL(string: text)
      else { return self }
      request.url = url
    }
    return request
  }
}

extension RequestPath {
  /// The path with `http` for `ws` and `https` for `wss`.
  fileprivate var overHTTP: RequestPath {
    guard let text = WebSocketHandshake.overHTTP(text) else { return self }
    return RequestPath(text: text, problem: problem, isAtOrigin: isAtOrigin)
  }
}
