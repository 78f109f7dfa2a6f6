public import FreshetEssentials

extension Router {
  /// Decodes a response as the model of its route.
  ///
  /// It runs on the caller's thread; the time is proportional to the size of the body.
  ///
  /// - Parameters:
  ///   - type: The requested type: the route's model, or a type to which it can be cast. If it is
  ///     optional, or ``EmptyResponse``, it also has a value for a response whose body or payload is empty,
  ///     missing or `null`, such as a 204 or the response to a `HEAD`.
  ///   - response: The response with its body.
  ///   - request: The original request, before redirects; the response's own by default, see
  ///     ``Response/request``. A response that was made by hand has none, and is treated as the
  ///     response to a `GET` of its URL.
  /// - Returns: The model.
  /// - Throws: ``RouteError/rejected(_:)`` for an error response whose status no route names, with
  ///   the error model if one is registered, also if the body is not that model;
  ///   ``RouteError/unmatched(method:url:)``; ``RouteError/mismatch(asked:found:pattern:)``, which
  ///   contains both types; ``RouteError/undecodable(_:)``;
  ///   ``RouteError/ambiguous(patterns:url:)``.
  public func decode<Value: Sendable>(
    _ type: Value.Type = Value.self,
    from response: Response<Data>,
    for request: Request? = nil
  ) throws(RouteError) -> Value {
    try self.response(type, from: response, for: request).value
  }

  /// Returns the response with its model as the value, its envelope and the skipped elements.
  func response<Value: Sendable>(
    _ type: Value.Type,
    from response: Response<Data>,
    for request: Request? = nil
  ) throws(RouteError) -> Response<Value> {
    let request = request ?? response.request ?? Request(response.head.url)
    let route = try self.route(for: request, response: response)
    let found =
      if let route, let model = route.model {
        try decode(model, of: route, from: response, as: type)
      } else {
        try raw(response, for: request, isData: type == Data.self)
      }
    guard let value = found.value as? Value else {
      throw .mismatch(
        asked: String(describing: type),
        found: String(describing: Swift.type(of: found.value)),
        pattern: route.map { $0.pattern ?? "**" } ?? "(unmatched)"
      )
    }
    return found.replacing(value)
  }

  /// Returns the route that matches a request and its response, or `nil`.
  ///
  /// - Throws: ``RouteError/rejected(_:)`` for an error response whose status no route names, and
  ///   ``RouteError/ambiguous(patterns:url:)``.
  public func route(
    for request: Request,
    response: Response<Data>
  ) throws(RouteError) -> Route? {
    var probe = RouteProbe(request.method, response, options)
    let candidate = try Self.find(in: models, request, &probe)
    guard candidate == nil, probe.isError else { return candidate?.route }
    throw .rejected(try rejection(request, &probe))
  }

  private static func find(
    in tree: RouteTree<Candidate>,
    _ request: Request,
    _ probe: inout RouteProbe
  ) throws(RouteError) -> Candidate? {
    let best = RoutePath.with(request.url) { path in
      tree.search(path) { candidates in mostSpecific(candidates, &probe) }
    }
    switch best {
    case nil: return nil
    case .one(let candidate): return candidate
    case .several(let candidates):
      let patterns = candidates.map { $0.route.pattern ?? "**" }
      throw .ambiguous(patterns: patterns, url: Redaction.shown(request.url))
    }
  }

  private enum Best {
    case one(Candidate)
    case several([Candidate])
  }

  /// Returns the matching routes of the highest rank; `nil` continues the search.
  private static func mostSpecific(_ candidates: [Candidate], _ probe: inout RouteProbe) -> Best? {
    var best: Best?
    var highest: RouteConditions.Rank?
    for candidate in candidates {
      guard let rank = candidate.rank(&probe) else { continue }
      if let highest, rank < highest { continue }
      switch best {
      case .one(let other) where rank == highest: best = .several([other, candidate])
      case .several(let others) where rank == highest: best = .several(others + [candidate])
      default: best = .one(candidate)
      }
      highest = rank
    }
    return best
  }

  private func rejection(
    _ request: Request,
    _ probe: inout RouteProbe
  ) throws(RouteError) -> RouteError.Rejection {
    // Error models match error statuses without naming them.
    probe.isError = false
    let model = try Self.find(in: errors, request, &probe)?.route.errorModel
    var decoded: (any Sendable)?
    var problem: DecodingFailure?
    if let model {
      do {
        decoded = try model.decode(probe.response, PayloadPath(), options.decoder).value
      } catch {
        problem = error.decodingFailure
      }
    }
    return RouteError.Rejection(
      response: probe.response,
      model: decoded,
      decodingFailure: problem
    )
  }

  private func decode<Value: Sendable>(
    _ model: RouteModel,
    of route: Route,
    from response: Response<Data>,
    as type: Value.Type
  ) throws(RouteError) -> Response<any Sendable> {
    do {
      return try model.decode(response, route.payload, options.decoder)
    } catch {
      if case .decoding = error, let absent = Value.self as? any Absent.Type,
        absent.mayReplace(model.type), response.isAbsent(at: route.payload),
        let none = absent.absent as? Value
      {
        return response.map { _ in none }
      }
      throw RouteError(error, pattern: route.pattern ?? "**", response: response)
    }
  }

  private func raw(
    _ response: Response<Data>,
    for request: Request,
    isData: Bool
  ) throws(RouteError) -> Response<any Sendable> {
    guard options.unmatched == .raw else {
      throw .unmatched(method: request.method, url: Redaction.shown(request.url))
    }
    if isData { return response.map { $0 } }
    guard !DecodingSource(head: response.head, data: response.value).isEmpty else {
      return response.map { _ in JSONValue.null }
    }
    do {
      return try Decoding<JSONValue>.json(options.decoder).value(of: response.accepted).map { $0 }
    } catch {
      throw RouteError(error, pattern: "(unmatched)", response: response)
    }
  }
}

extension Response<Data> {
  /// Returns a Boolean value that indicates whether there is nothing at a path: no body, no such
  /// member, or `null`.
  fileprivate func isAbsent(at path: PayloadPath) -> Bool {
    // Malformed JSON does not count as absent.
    (try? accepted.unwrapped(at: path))?.record.absence != nil
  }
}
