public import Foundation

/// Which model answers which request: a table of routes, checked when it is made.
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
///   in whatever order the routes stand. A route whose rest or whose conditions do not fit gives
///   way to the next one.
/// - Of routes with the same pattern, one that names the method comes first, then the one with the
///   narrowest range of statuses, then the one with the most conditions.
/// - The path is the percent-encoded one of the request's own URL: a redirect changes no route, and
///   `%2F` separates nothing. Scheme, host, query and fragment do not count.
/// - One slash at the end of the path makes no difference. A path with an empty segment (`a//b`)
///   matches nothing.
/// - The base path is left out segment by segment: `v1` is no part of `v10/users`. A path outside of
///   it matches nothing.
/// - Matching follows at most one branch of each kind at each level: its cost depends on the depth
///   of the path, not on the number of routes.
public struct Router: Sendable {
  let models: RouteTree<Candidate>
  let errors: RouteTree<Candidate>
  let options: Options

  /// A route at the end of its pattern, for the models or for the errors.
  ///
  /// It is a class so that matching hands one reference around instead of all its parts.
  final class Candidate: Sendable {
    let route: Route
    let conditions: RouteConditions
    /// Whether it asks for nothing beside the path.
    let isPlain: Bool

    init(route: Route, conditions: RouteConditions) {
      self.route = route
      self.conditions = conditions
      isPlain = conditions.isEmpty
    }

    /// How specifically it is for a response, or `nil` if it is not.
    func rank(_ probe: inout RouteProbe) -> RouteConditions.Rank? {
      guard isPlain else { return conditions.rank(&probe) }
      return probe.isError ? nil : .plain
    }
  }

  /// Makes a router of routes.
  ///
  /// - Parameters:
  ///   - basePath: What all paths begin with, such as `api/v1`; nothing by default.
  ///   - routes: The routes, in any order.
  ///   - configure: Changes the default options.
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

  /// A route's error model is for its path and its methods, whatever the status and the body.
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
  /// What a router does beside matching.
  public struct Options: Sendable {
    /// What becomes of a response that no route is for; an error by default.
    public var unmatched = Unmatched.fails
    /// Which responses are errors, also by their bodies; those with a status outside of 2xx by
    /// default.
    public var isError: @Sendable (Response<Data>) -> Bool = { !$0.status.isSuccess }
    /// Makes the decoder of a response; Foundation's default one by default.
    public var decoder: @Sendable () -> JSONDecoder = { JSONDecoder() }

    init() {}
  }

  /// What becomes of a response that no route is for.
  public enum Unmatched: Sendable, Hashable {
    /// It is ``RouteError/unmatched(method:url:)``.
    case fails
    /// It is a ``JSONValue``, ``JSONValue/null`` for an empty body, or its bytes if they are asked for
    /// as `Data`.
    case raw
  }

  /// Why a router could not be made.
  public struct InvalidRoute: Error, Sendable, Hashable, CustomStringConvertible {
    /// The pattern that is wrong.
    public let pattern: String
    /// What is wrong with it, such as `has “**” before its end`.
    public let reason: String

    /// The pattern and what is wrong with it, as a sentence.
    public var description: String { Printable.line("The route “\(pattern)” \(reason).") }

    static func duplicate(_ route: Route) -> InvalidRoute {
      let reason = "is there twice, and nothing could choose between the two"
      return InvalidRoute(pattern: route.pattern ?? "**", reason: reason)
    }
  }
}
