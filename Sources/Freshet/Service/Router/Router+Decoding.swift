public import Foundation

extension Router {
  /// Decodes a response as the model of its route.
  ///
  /// It runs where it is called; decoding takes as long as the body is large.
  ///
  /// - Parameters:
  ///   - type: What is asked for: the route's model, or what it can be cast to.
  ///   - response: The response with its body.
  ///   - request: The request as it was made, before redirects.
  /// - Returns: The model.
  /// - Throws: ``RouteError/rejected(_:)`` for an error response that no route names the status of,
  ///   with the error model if one is registered, also if the body is not that model;
  ///   ``RouteError/unmatched(method:url:)``; ``RouteError/mismatch(asked:found:pattern:)``, which
  ///   names both types; ``RouteError/undecodable(_:)``; ``RouteError/ambiguous(patterns:url:)``.
  public func decode<Value>(
    _ type: Value.Type = Value.self,
    from response: Response<Data>,
    for request: Request
  ) throws(RouteError) -> Value {
    let found: any Sendable
    let pattern: String
    if let route = try self.route(for: request, response: response), let model = route.model {
      found = try decode(model, of: route, from: response)
      pattern = route.pattern ?? "**"
    } else {
      found = try raw(response, for: request, isData: type == Data.self)
      pattern = "(unmatched)"
    }
    guard let value = found as? Value else {
      throw .mismatch(
        asked: String(describing: type),
        found: String(describing: Swift.type(of: found)),
        pattern: pattern
      )
    }
    return value
  }

  /// The route that is for a request and its response, or `nil`.
  ///
  /// - Throws: ``RouteError/rejected(_:)`` for an error response that no route names the status of,
  ///   and ``RouteError/ambiguous(patterns:url:)``.
  public func route(
    for request: Request,
    response: Response<Data>
  ) throws(RouteError) -> Route? {
    let probe = RouteProbe(
      request.method,
      response,
      isError: options.isError(response),
      decoder: options.decoder
    )
    let route = try Self.find(in: models, request, probe)
    guard route == nil, probe.isError else { return route }
    throw .rejected(try rejection(request, probe))
  }

  private static func find(
    in tree: RouteTree<Candidate>,
    _ request: Request,
    _ probe: RouteProbe
  ) throws(RouteError) -> Route? {
    let best = RoutePath.with(request.url) { path in
      tree.search(path) { candidates in mostSpecific(candidates, probe) }
    }
    guard let best else { return nil }
    guard best.count == 1 else {
      let patterns = best.map { $0.pattern ?? "**" }
      throw .ambiguous(patterns: patterns, url: Redaction.shown(request.url))
    }
    return best[0]
  }

  /// The matching routes of the highest rank; `nil` lets the search go on.
  private static func mostSpecific(_ candidates: [Candidate], _ probe: RouteProbe) -> [Route]? {
    var best: [Route] = []
    var highest: RouteConditions.Rank?
    for candidate in candidates {
      guard let rank = candidate.conditions.rank(probe) else { continue }
      if let highest, rank < highest { continue }
      if rank != highest { best = [] }
      highest = rank
      best.append(candidate.route)
    }
    return best.isEmpty ? nil : best
  }

  private func rejection(
    _ request: Request,
    _ probe: RouteProbe
  ) throws(RouteError) -> RouteError.Rejection {
    // What a model was not for, its error model is for: the statuses do not count here.
    let probe = RouteProbe(
      probe.method,
      probe.response,
      isError: false,
      decoder: options.decoder
    )
    let model = try Self.find(in: errors, request, probe)?.errorModel
    var decoded: (any Sendable)?
    var problem: String?
    if let model {
      do {
        decoded = try model.decode(probe.response.value, options.decoder(), [])
      } catch {
        problem = DecodingError.problem(error)
      }
    }
    return RouteError.Rejection(
      response: probe.response,
      model: decoded,
      decodingProblem: problem
    )
  }

  private func decode(
    _ model: RouteModel,
    of route: Route,
    from response: Response<Data>
  ) throws(RouteError) -> any Sendable {
    do {
      return try model.decode(response.value, options.decoder(), route.payload)
    } catch {
      throw .undecodable(
        RouteError.Undecodable(
          model: String(describing: model.type),
          pattern: route.pattern ?? "**",
          problem: DecodingError.problem(error),
          response: response
        )
      )
    }
  }

  private func raw(
    _ response: Response<Data>,
    for request: Request,
    isData: Bool
  ) throws(RouteError) -> any Sendable {
    guard options.unmatched == .raw else {
      throw .unmatched(method: request.method, url: Redaction.shown(request.url))
    }
    if isData { return response.value }
    do {
      return try options.decoder().decode(JSONValue.self, from: response.value)
    } catch {
      let failure = RouteError.Undecodable(
        model: "JSONValue",
        pattern: "(unmatched)",
        problem: DecodingError.problem(error),
        response: response
      )
      throw .undecodable(failure)
    }
  }
}
