public import FreshetEssentials

/// A table of routes that assigns models to requests, checked when it is made.
///
/// ```swift
/// let router = try Router(basePath: "1.1", [
///   Route("users/*", User.self),
///   Route("users/me", Account.self),
///   Route("statuses/home_timeline.json", [Tweet].self).unwrap("data"),
///   Route(error: TwitterError.self),
/// ])
/// let user = try router.decode(User.self, from: response, for: request)
/// ```
///
/// - At every level of the path a literal comes before `#`, that before `*`, and that before `**`,
///   whatever the order of the routes. If the rest of a route's path or its conditions do not
///   match, the next one is tried.
/// - Of routes with the same pattern, one with the method comes first, then the one with the
///   narrowest range of statuses, then the one with the most conditions.
/// - The path is the percent-encoded one of the original request's URL: redirects have no effect,
///   and `%2F` is no separator. Scheme, host, query and fragment are ignored.
/// - One trailing slash is ignored. A path with an empty segment (`a//b`) matches nothing.
/// - The base path is removed segment by segment: `v1` is no part of `v10/users`. A path outside of
///   it matches nothing.
/// - Matching follows at most one branch of each kind at each level: its cost depends on the depth
///   of the path, not on the number of routes.
public struct Router: Sendable {
  let models: RouteTree<Candidate>
  let errors: RouteTree<Candidate>
  let options: Options

  /// A route at the end of its pattern, for the models or for the errors.
  ///
  /// It is a class so that matching copies one reference instead of all its parts.
  final class Candidate: Sendable {
    let route: Route
    let conditions: RouteConditions
    /// A Boolean value that indicates whether it has no conditions besides the path.
    let isPlain: Bool

    init(route: Route, conditions: RouteConditions) {
      self.route = route
      self.conditions = conditions
      isPlain = conditions.isEmpty
    }

    /// Returns its specificity for a response, or `nil` if it does not match.
    func rank(_ probe: inout RouteProbe) -> RouteConditions.Rank? {
      guard isPlain else { return conditions.rank(&probe) }
      return probe.isError ? nil : .plain
    }
  }

  /// Makes a router from routes.
  ///
  /// - Parameters:
  ///   - basePath: The common beginning of all paths, such as `api/v1`; empty by default.
  ///   - routes: The routes, in any order.
  ///   - configure: A closure that changes the default options.
  /// - Throws: ``InvalidRoute`` if a pattern is not valid, or if two routes would always match
  ///   together and nothing could choose between them.
  public init(
    basePath: String = "",
    _ routes: some Sequence<Route>,
    configure: (inout Options) -> Void = { _ in }
  ) throws(InvalidRoute) {
    var options = Options()
    configure(&options)
    self.options = options
    let base = try RoutePattern(basePath)
    guard base.tokens.last != .rest else {
      throw InvalidRoute(pattern: basePath, reason: "has “**”, and the routes follow it")
    }
    var models = RouteTree<Candidate>(base: base.tokens)
    var errors = RouteTree<Candidate>(base: base.tokens)
    for route in routes {
      let pattern = base.tokens + (try RoutePattern(route.pattern ?? "**").tokens)
      try Self.add(route, to: &models, at: pattern)
      try Self.addError(route, to: &errors, at: pattern)
    }
    self.models = models
    self.errors = errors
  }

  private static func add(
    _ route: Route,
    to tree: inout RouteTree<Candidate>,
    at pattern: [RoutePattern.Token]
  ) throws(InvalidRoute) {
    guard route.model != nil else { return }
    let candidate = Candidate(route: route, conditions: route.conditions)
    if tree[pattern].contains(where: { $0.conditions.isDuplicate(of: candidate.conditions) }) {
      throw .duplicate(route)
    }
    tree[pattern].append(candidate)
  }

  /// Adds a route's error model for its path and its methods, whatever the status and the body.
  private static func addError(
    _ route: Route,
    to tree: inout RouteTree<Candidate>,
    at pattern: [RoutePattern.Token]
  ) throws(InvalidRoute) {
    guard let model = route.errorModel else { return }
    var conditions = route.conditions
    if route.model != nil {
      conditions = RouteConditions()
      conditions.methods = route.conditions.methods
    }
    let twin = tree[pattern].first { $0.conditions.isDuplicate(of: conditions) }
    // Routes of one path may all name the same error model.
    if let twin, twin.conditions.methods == conditions.methods,
      twin.conditions.statuses == conditions.statuses,
      twin.route.errorModel?.isSame(as: model) == true
    {
      return
    }
    guard twin == nil else { throw .duplicate(route) }
    tree[pattern].append(Candidate(route: route, conditions: conditions))
  }
}

extension Router {
  /// The options of a router besides its routes.
  public struct Options: Sendable {
    /// The result for a response that no route matches; an error by default.
    public var unmatched = Unmatched.fails
    /// A predicate that decides which responses are errors, also by their bodies; those with a
    /// status outside of 2xx by default, unless `validate(_:)` has accepted it.
    public var isError: @Sendable (Response<Data>) -> Bool = {
      !$0.status.isSuccess && !$0.record.isAccepted
    }
    /// A closure that makes the decoder of a response; `JSONDecoder()` by default.
    public var decoder: @Sendable () -> JSONDecoder = { JSONDecoder() }

    init() {}
  }

  /// The result for a response that no route matches.
  public enum Unmatched: Sendable, Hashable {
    /// The error ``RouteError/unmatched(method:url:)``.
    case fails
    /// A ``JSONValue``, ``JSONValue/null`` for an empty body, or its bytes if `Data` is requested.
    case raw
  }

  /// The reason why a router could not be made.
  public struct InvalidRoute: Error, Sendable, Hashable, CustomStringConvertible {
    /// The invalid pattern.
    public let pattern: String
    /// The reason, such as `has “**” before its end`.
    public let reason: String

    /// The pattern and the reason, as a sentence.
    public var description: String { Printable.line("The route “\(pattern)” \(reason).") }

    static func duplicate(_ route: Route) -> InvalidRoute {
      let reason = "is registered twice; remove one of the two"
      return InvalidRoute(pattern: route.pattern ?? "**", reason: reason)
    }
  }
}
