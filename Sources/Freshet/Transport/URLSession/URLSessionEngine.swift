#if canImport(Darwin)
import FreshetEssentials
import Synchronization

/// The session that a transport, its copies and its exchanges share.
///
/// The session and its delegate never retain the engine, so that releasing the engine invalidates them.
final class URLSessionEngine: Sendable {
  let configuration: URLSessionTransport.Configuration
  let pins: PinnedHosts
  let identities: HostTable<URLSessionTransport.Identity>
  private let router = URLSessionRouter()
  private let session = Mutex<URLSession?>(nil)

  init(_ configuration: URLSessionTransport.Configuration) {
    self.configuration = configuration
    pins = PinnedHosts(configuration.pins)
    identities = HostTable(configuration.identities)
  }

  deinit {
    session.withLock { $0 }?.finishTasksAndInvalidate()
  }

  func exchange(_ request: Request) -> URLSessionExchange {
    let exchange = URLSessionExchange(request, engine: self)
    exchange.start()
    return exchange
  }

  /// Creates a suspended task whose delegate is the exchange.
  ///
  /// Upload tasks would offer the server, and resume, uploads by the system's own protocol.
  func task(for message: URLRequest, of exchange: URLSessionExchange) -> URLSessionTask {
    let task = open().dataTask(with: message)
    router.add(exchange, for: task.taskIdentifier)
    return task
  }

  /// Creates a suspended task that opens a WebSocket.
  func socketTask(
    for message: URLRequest,
    limit: Int,
    of exchange: URLSessionExchange
  ) -> URLSessionTask {
    var message = message
    // The task has a scheme and a handshake of its own.
    if let url = message.url, var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) {
      parts.scheme = parts.scheme?.lowercased() == "https" ? "wss" : "ws"
      message.url = parts.url ?? url
    }
    let handshake = [
      "Connection", "Upgrade", "Sec-WebSocket-Key", "Sec-WebSocket-Version",
      "Sec-WebSocket-Extensions",
    ]
    for field in handshake {
      message.setValue(nil, forHTTPHeaderField: field)
    }
    let task = open().webSocketTask(with: message)
    task.maximumMessageSize = limit
    router.add(exchange, for: task.taskIdentifier)
    return task
  }

  func closeIdleConnections() async {
    guard let session = session.withLock({ $0 }) else { return }
    await withCheckedContinuation { continuation in
      session.reset { continuation.resume() }
    }
  }

  private func open() -> URLSession {
    session.withLock { session in
      if let session { return session }
      let settings = URLSessionConfiguration.ephemeral
      // The smaller one of this and the request's timeout applies.
      settings.timeoutIntervalForRequest = Request.sessionTimeout
      settings.urlCache = nil
      settings.requestCachePolicy = .reloadIgnoringLocalCacheData
      settings.httpCookieStorage = nil
      settings.httpShouldSetCookies = false
      settings.httpCookieAcceptPolicy = .never
      settings.urlCredentialStorage = nil
      settings.httpMaximumConnectionsPerHost = configuration.maximumConnectionsPerHost
      settings.tlsMinimumSupportedProtocolVersion = configuration.minimumTLS.protocolVersion
      if let proxy = configuration.proxy.dictionary { settings.connectionProxyDictionary = proxy }
      let opened = URLSession(configuration: settings, delegate: router, delegateQueue: nil)
      session = opened
      return opened
    }
  }
}
#endif
