public import Freshet
public import FreshetEssentials

/// An HTTP/1.1 origin on 127.0.0.1 with answers that a test defines, including faults.
///
/// It uses real sockets, keeps connections alive and serves many of them, on one thread of its own.
/// Requests that are not valid HTTP get a 400 and never reach a route.
///
/// - A route may be replaced at any time; responses in progress keep the answer that they began with.
/// - Paths without a route get a 404.
/// - ``stop()`` ends it, and so does releasing the last reference to it.
///
/// ```swift
/// let server = try LoopbackServer(["/hello": .text("hello")])
/// let (data, _) = try await URLSession.shared.data(from: server.url("/hello"))
/// #expect(server.requests.map(\.path) == ["/hello"])
/// await server.stop()
/// ```
public final class LoopbackServer: Sendable {
  /// The port on which it listens.
  public let port: UInt16

  let log: Watched<ServerLog>
  private let routes = RouteTable()
  private let inbox: Inbox

  /// Starts a server; it accepts connections when this returns.
  ///
  /// - Parameters:
  ///   - answers: The answers by path, as for ``route(_:_:)``; none by default.
  ///   - configure: A closure that changes the default configuration.
  /// - Throws: ``/Freshet/FreshetError/connection(_:url:)`` with ``/Freshet/FreshetError/ConnectionFailure/other(_:)``
  ///   if it cannot listen, because the port is in use or no descriptors are left.
  public init(
    _ answers: [String: Answer] = [:],
    configure: (inout Configuration) -> Void = { _ in }
  ) throws(FreshetError) {
    var configuration = Configuration()
    configure(&configuration)
    do {
      let log = Watched(ServerLog(limit: configuration.requestLimit))
      let (listener, port) = try Socket.listen(port: configuration.port)
      self.log = log
      self.port = port
      inbox = try Self.start(listener, port, configuration, routes, log)
    } catch {
      throw .connection(.other(error.reason), url: "http://127.0.0.1:\(configuration.port)/")
    }
    for (path, answer) in answers {
      route(path, answer)
    }
  }

  private static func start(
    _ listener: Int32,
    _ port: UInt16,
    _ configuration: Configuration,
    _ routes: RouteTable,
    _ log: Watched<ServerLog>
  ) throws(Socket.Failure) -> Inbox {
    var inbox: Inbox?
    var poller: Int32?
    do {
      let opened = try Inbox()
      inbox = opened
      let descriptor = try Poller.open()
      poller = descriptor
      try startThread(name: "loopback-\(port)") {
        EventLoop(
          listener: listener,
          configuration: configuration,
          routes: routes,
          log: log,
          inbox: opened,
          poller: Poller(descriptor)
        )
        .run()
        log.update { $0.isStopped = true }
      }
      return opened
    } catch {
      inbox?.close()
      poller.map(Socket.close)
      Socket.close(listener)
      throw error
    }
  }

  private static func startThread(
    name: String,
    _ run: @escaping @Sendable () -> Void
  ) throws(Socket.Failure) {
    do throws(DetachedThreadFailure) {
      try DetachedThread.start(name: name, run)
    } catch {
      throw Socket.Failure(code: error.code)
    }
  }

  deinit {
    inbox.post(.stop)
  }

  /// Closes all connections, and waits until its thread is done and all descriptors are closed.
  ///
  /// Responses in progress are cut off. Stopping again has no effect.
  public func stop() async {
    inbox.post(.stop)
    // The wait ignores cancellation, so that everything is closed when this returns.
    _ = await Task { [log] in await log.wait { $0.isStopped } }.value
  }
}

// MARK: - Routes

extension LoopbackServer {
  /// Returns the URL of a path on this server.
  ///
  /// - Parameter path: A path that begins with a slash, with its query if it has one; `/` by default.
  ///   What a URL may not contain, such as a space, is percent-encoded.
  /// - Returns: An absolute URL.
  public func url(_ path: String = "/") -> URL {
    guard path.hasPrefix("/"), let url = URL(string: "http://127.0.0.1:\(port)\(path)") else {
      preconditionFailure("\(path): begin the path with a slash and percent-encode it")
    }
    return url
  }

  /// Sets the answer to the requests for a path, and replaces the previous one.
  ///
  /// - Parameters:
  ///   - path: The path as in ``url(_:)``, without a query, which is ignored. A path that ends with `/*`
  ///     applies to everything below it, unless a longer one does.
  ///   - answer: The answer, or `nil` to remove the route.
  public func route(_ path: String, _ answer: Answer?) {
    routes.set(encoded(path), answer)
  }

  /// Returns the spellings of a path that requests may have: encoded, and as it is.
  func spellings(of path: String) -> Set<String> {
    [path, encoded(path)]
  }

  private func encoded(_ path: String) -> String {
    path.hasPrefix("/") ? url(path).path(percentEncoded: true) : path
  }
}
