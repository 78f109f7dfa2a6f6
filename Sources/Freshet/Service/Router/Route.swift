public import Foundation

/// Which model answers which path: one line of a ``Router``.
///
/// ```swift
/// Route("users/*", User.self).error(UserError.self)
/// Route("users", [User].self).unwrap("data")
/// Route("users", User.self).on(.post).status(201)
/// Route("events/#", Signup.self).when("type", is: "signup")
/// ```
///
/// A pattern is made of segments:
///
/// | segment | matches |
/// | --- | --- |
/// | `#` | one segment of ASCII digits, at least one |
/// | `*` | any one segment |
/// | `**` | one or more segments, only at the end; alone, the base path itself too |
/// | anything else | itself, byte by byte, with percent-encoding undone on both sides |
///
/// A slash in front and one at the end make no difference, here and in the URL. The empty pattern is
/// the base path itself.
public struct Route: Sendable {
  /// The pattern as it was written; `nil` stands for every path.
  public let pattern: String?

  var model: RouteModel?
  var errorModel: RouteModel?
  var payload = PayloadPath()
  var conditions = RouteConditions()

  /// A route to a model, decoded from JSON; `Data` is the body's bytes as they are.
  ///
  /// - Parameters:
  ///   - pattern: Which paths it is for, such as `users/*`.
  ///   - model: What their responses hold. An optional model is `nil` for an empty body.
  public init<Model: Decodable & Sendable>(_ pattern: String, _ model: Model.Type) {
    self.pattern = pattern
    self.model = RouteModel(model)
  }

  /// A route to a model that is decoded in a way of its own, whatever the router's decoder.
  ///
  /// ```swift
  /// Route("tweets", [Tweet].self, as: .lenient())
  /// Route("users", [User].self, as: .unwrapping(Page<User>.self))
  /// Route("motd", String.self, as: .text)
  /// ```
  ///
  /// - Parameters:
  ///   - pattern: Which paths it is for.
  ///   - model: What their responses hold.
  ///   - decoding: How it is decoded.
  public init<Model: Sendable>(
    _ pattern: String,
    _ model: Model.Type,
    as decoding: Decoding<Model>
  ) {
    self.pattern = pattern
    self.model = RouteModel(model, as: decoding)
  }

  /// A route to an error model only, for paths whose routes name none of their own.
  ///
  /// - Parameters:
  ///   - pattern: Which paths it is for; every path within the base path by default.
  ///   - error: What their error responses hold.
  public init<Model: Decodable & Sendable>(_ pattern: String? = nil, error: Model.Type) {
    self.pattern = pattern
    errorModel = RouteModel(error)
  }
}

extension Route {
  /// The route for these methods only; several calls add to each other.
  ///
  /// A route that names the method comes before one of the same pattern that names none.
  public func on(_ methods: HTTPMethod...) -> Route {
    changed { $0.conditions.methods.formUnion(methods) }
  }

  /// The route for these status codes only; several calls add to each other.
  ///
  /// A route that names a status is also for statuses that are errors otherwise. Of routes with the
  /// same pattern the one with the narrowest range comes first.
  public func status(_ codes: Int...) -> Route {
    changed { $0.conditions.statuses.formUnion(codes.map { $0...$0 }) }
  }

  /// The route for a range of status codes only, such as `200...299`.
  public func status(_ codes: ClosedRange<Int>) -> Route {
    changed { $0.conditions.statuses.insert(codes) }
  }

  /// The route for bodies that have this text at a path only, such as `"type"` or `"meta.kind"`.
  ///
  /// - Parameters:
  ///   - path: Where it stands in the JSON body.
  ///   - value: The text that must stand there.
  /// - Returns: The narrower route.
  public func when(_ path: PayloadPath, is value: String) -> Route {
    let field = RouteConditions.Field(path: path, value: value)
    return changed { $0.conditions.fields.insert(field) }
  }

  /// The route for responses that the predicate accepts only; several calls must all accept.
  ///
  /// Predicates cannot be compared: two routes of the same pattern whose predicates both accept are
  /// an error, ``RouteError/ambiguous(patterns:url:)``, unless one has more conditions.
  public func when(_ predicate: @escaping @Sendable (Response<Data>) -> Bool) -> Route {
    changed { $0.conditions.predicates.append(predicate) }
  }

  /// The route with its model at a path in the body, such as `"data"` or `"data.items.0"`.
  ///
  /// A payload that is missing or `null` is an error unless the model is optional. Error models are
  /// not expected there.
  public func unwrap(_ path: PayloadPath) -> Route {
    changed { $0.payload = path }
  }

  /// The route with a model for its error responses, whatever their status.
  public func error<Model: Decodable & Sendable>(_ model: Model.Type) -> Route {
    changed { $0.errorModel = RouteModel(model) }
  }

  private func changed(_ change: (inout Route) -> Void) -> Route {
    var route = self
    change(&route)
    return route
  }
}
