public import FreshetEssentials

/// An assignment of a model to a path: one line of a ``Router``.
///
/// ```swift
/// Route("users/*", User.self).error(UserError.self)
/// Route("users", [User].self).unwrap("data")
/// Route("users", User.self).on(.post).status(201)
/// Route("events/#", Signup.self).when("type", is: "signup")
/// ```
///
/// A pattern consists of segments:
///
/// | segment | matches |
/// | --- | --- |
/// | `#` | one segment of ASCII digits, at least one |
/// | `*` | any one segment |
/// | `**` | one or more segments, only at the end; alone, the base path itself too |
/// | anything else | itself, byte by byte, with percent-encoding undone on both sides |
///
/// Leading and trailing slashes are ignored, here and in the URL. The empty pattern is the base
/// path itself.
public struct Route: Sendable {
  /// The pattern as it was written; `nil` matches every path.
  public let pattern: String?

  var model: RouteModel?
  var errorModel: RouteModel?
  var payload = PayloadPath()
  var conditions = RouteConditions()

  /// Makes a route to a model, decoded from JSON; for `Data`, the bytes are returned unchanged.
  ///
  /// - Parameters:
  ///   - pattern: The pattern of the paths, such as `users/*`.
  ///   - model: The type of their responses. An optional model is `nil` for an empty body.
  public init<Model: Decodable & Sendable>(_ pattern: String, _ model: Model.Type) {
    self.pattern = pattern
    self.model = RouteModel(model)
  }

  /// Makes a route to a model with its own decoding, whatever the router's decoder.
  ///
  /// ```swift
  /// Route("tweets", [Tweet].self, as: .lenient())
  /// Route("users", [User].self, as: .unwrapping(Page<User>.self))
  /// Route("motd", String.self, as: .text)
  /// ```
  ///
  /// - Parameters:
  ///   - pattern: The pattern of the paths.
  ///   - model: The type of their responses.
  ///   - decoding: The decoding of the model.
  public init<Model: Sendable>(
    _ pattern: String,
    _ model: Model.Type,
    as decoding: Decoding<Model>
  ) {
    self.pattern = pattern
    self.model = RouteModel(model, as: decoding)
  }

  /// Makes a route to an error model only, for paths whose routes have none of their own.
  ///
  /// - Parameters:
  ///   - pattern: The pattern of the paths; every path within the base path by default.
  ///   - error: The type of their error responses.
  public init<Model: Decodable & Sendable>(_ pattern: String? = nil, error: Model.Type) {
    self.pattern = pattern
    errorModel = RouteModel(error)
  }
}

extension Route {
  /// Returns the route for these methods only; several calls add up.
  ///
  /// A route with the method has precedence over one of the same pattern without methods.
  public func on(_ methods: HTTPMethod...) -> Route {
    changed { $0.conditions.methods.formUnion(methods) }
  }

  /// Returns the route for these status codes only; several calls add up.
  ///
  /// A route with a status also applies to statuses that are otherwise errors. Of routes with the
  /// same pattern the one with the narrowest range has precedence.
  public func status(_ codes: Int...) -> Route {
    changed { $0.conditions.statuses.formUnion(codes.map { $0...$0 }) }
  }

  /// Returns the route for a range of status codes only, such as `200...299`.
  public func status(_ codes: ClosedRange<Int>) -> Route {
    changed { $0.conditions.statuses.insert(codes) }
  }

  /// Returns the route for bodies that have this text at a path only, such as `"type"` or `"meta.kind"`.
  ///
  /// - Parameters:
  ///   - path: The path in the JSON body.
  ///   - value: The required text.
  /// - Returns: The narrower route.
  public func when(_ path: PayloadPath, is value: String) -> Route {
    let field = RouteConditions.Field(path: path, value: value)
    return changed { $0.conditions.fields.insert(field) }
  }

  /// Returns the route for responses that the predicate accepts only; if there are several, all
  /// must accept.
  ///
  /// Predicates cannot be compared: two routes of the same pattern whose predicates both accept are
  /// an error, ``RouteError/ambiguous(patterns:url:)``, unless one has more conditions.
  public func when(_ predicate: @escaping @Sendable (Response<Data>) -> Bool) -> Route {
    changed { $0.conditions.predicates.append(predicate) }
  }

  /// Returns the route with its model at a path in the body, such as `"data"` or `"data.items.0"`.
  ///
  /// A payload that is missing or `null` is an error unless the model is optional. Error models are
  /// decoded from the whole body.
  public func unwrap(_ path: PayloadPath) -> Route {
    changed { $0.payload = path }
  }

  /// Returns the route with a model for its error responses, whatever their status.
  public func error<Model: Decodable & Sendable>(_ model: Model.Type) -> Route {
    changed { $0.errorModel = RouteModel(model) }
  }

  private func changed(_ change: (inout Route) -> Void) -> Route {
    var route = self
    change(&route)
    return route
  }
}
