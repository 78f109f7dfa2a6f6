import FreshetEssentials

/// The requests that a demo answers, with their responses.
///
/// ```swift
/// var users = try DemoRoute("users", .get, path: "users/#", success: .file("user.json"))
/// users.failure = .file("error.json", status: 503)
/// users.failureProbability = 0.2
/// users.latency = .milliseconds(300) ... .milliseconds(1_200)
/// ```
public struct DemoRoute: Sendable {
  /// The name of the route, for ``DemoSwitch``.
  public let name: String
  let matches: @Sendable (Request) -> Bool

  /// The response in case of success.
  public var success: DemoAnswer
  /// The response in case of failure; an empty 400 by default.
  public var failure = DemoAnswer.bytes(status: 400)
  /// The probability of a failure, from 0 (never) to 1 (always); 0 by default.
  public var failureProbability = 0.0
  /// The range of the time until the head; zero by default.
  ///
  /// It is uniformly distributed.
  public var latency: ClosedRange<Duration> = .zero ... .zero
  /// The pause before each chunk of the body; none by default.
  public var chunkPause: Duration = .zero
  /// The size of the chunks in bytes, at least 1; 16 KiB by default.
  public var chunkSize = 16 << 10

  /// Creates a route that matches all requests, such as those of one endpoint, see ``CallOptions/demo``.
  ///
  /// - Parameters:
  ///   - name: The name of the route, for ``DemoSwitch``.
  ///   - success: The response in case of success.
  public init(_ name: String, success: DemoAnswer) {
    self.init(name, success: success) { _ in true }
  }

  /// Creates a route for the requests that a closure selects.
  ///
  /// - Parameters:
  ///   - name: The name of the route, for ``DemoSwitch``.
  ///   - success: The response in case of success.
  ///   - matches: A closure that indicates whether the route answers a request; called at least once for a
  ///     request, and for each of its redirects, which it gets as requests that follow none.
  public init(
    _ name: String,
    success: DemoAnswer,
    where matches: @escaping @Sendable (Request) -> Bool
  ) {
    self.name = name
    self.success = success
    self.matches = matches
  }

  /// Creates a route for a path.
  ///
  /// - Parameters:
  ///   - name: The name of the route, for ``DemoSwitch``.
  ///   - method: The method, or `nil`, the default, for any.
  ///   - path: A pattern for the whole path, by the rules of ``Route``: `*` matches one segment, `#` one of
  ///     digits, `**` at the end one or more segments, and alone any path. Host and query are ignored.
  ///   - success: The response in case of success.
  /// - Throws: ``Router/InvalidRoute`` if the pattern is not valid.
  public init(
    _ name: String,
    _ method: HTTPMethod? = nil,
    path: String,
    success: DemoAnswer
  ) throws(Router.InvalidRoute) {
    var tree = RouteTree<Bool>()
    tree[try RoutePattern(path).tokens] = [true]
    self.init(name, success: success) { [tree] request in
      (method == nil || method == request.method)
        && RoutePath.with(request.url) { path in tree.search(path) { $0.first } } == true
    }
  }
}
