import Foundation

/// Which requests a demo answers, and how.
///
/// ```swift
/// var users = try DemoRoute("users", .get, path: "users/#", success: .file("user.json"))
/// users.failure = .file("error.json", status: 503)
/// users.failureProbability = 0.2
/// users.latency = .milliseconds(300) ... .milliseconds(1_200)
/// ```
public struct DemoRoute: Sendable {
  /// What a ``DemoSwitch`` calls it.
  public let name: String
  let matches: @Sendable (Request) -> Bool

  /// The answer when all goes well.
  public var success: DemoAnswer
  /// The answer when it does not; an empty 400 by default.
  public var failure = DemoAnswer.bytes(status: 400)
  /// How likely the failure is: 0, never, by default; 1 is always.
  public var failureProbability = 0.0
  /// How long it takes until the head; at once by default.
  ///
  /// All of the range is equally likely.
  public var latency: ClosedRange<Duration> = .zero ... .zero
  /// The pause before each chunk of the body; none by default.
  public var chunkPause: Duration = .zero
  /// The size of the chunks in bytes, at least 1; 16 KiB by default.
  public var chunkSize = 16 << 10

  /// Makes a route for whatever gets to it, such as one endpoint's, see ``CallOptions/demo``.
  ///
  /// - Parameters:
  ///   - name: What a ``DemoSwitch`` calls it.
  ///   - success: The answer when all goes well.
  public init(_ name: String, success: DemoAnswer) {
    self.init(name, success: success) { _ in true }
  }

  /// Makes a route for the requests that a closure names.
  ///
  /// - Parameters:
  ///   - name: What a ``DemoSwitch`` calls it.
  ///   - success: The answer when all goes well.
  ///   - matches: Whether the request is one of this route; called once a request.
  public init(
    _ name: String,
    success: DemoAnswer,
    where matches: @escaping @Sendable (Request) -> Bool
  ) {
    self.name = name
    self.success = success
    self.matches = matches
  }

  /// Makes a route for a path.
  ///
  /// - Parameters:
  ///   - name: What a ``DemoSwitch`` calls it.
  ///   - method: The method, or `nil`, the default, for any.
  ///   - path: A pattern for the whole path, by the rules of ``Route``: `*` stands for one segment, `#`
  ///     for one of digits, `**` at the end for one or more, and alone for any path. Host and
  ///     query are not looked at.
  ///   - success: The answer when all goes well.
  /// - Throws: ``Router/InvalidRoute`` if the pattern is not valid.
  public init(
    _ name: String,
    _ method: HTTPMethod? = nil,
    path: String,
    success: DemoAnswer
  ) throws(Router.InvalidRoute) {
    let pattern = try RoutePattern(path)
    self.init(name, success: success) { request in
      (method == nil || method == request.method)
        && pattern.matches(request.url)
    }
  }
}
