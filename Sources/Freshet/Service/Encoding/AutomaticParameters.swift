import FreshetEssentials

/// Parameters that were placed by their method, together with the request for the other place,
/// which a client may choose, see ``Client/Configuration/queryMethods``.
final class AutomaticParameters: Sendable {
  /// A Boolean value that indicates whether the parameters are in the query.
  let isInQuery: Bool
  /// The target without the parameters.
  let target: RequestTarget
  /// The body without the parameters.
  let body: RequestBody?
  let other: Other

  /// The parameters for the other place.
  enum Other {
    case query(String)
    case body(RequestBody)
    case refused(String)
  }

  init(isInQuery: Bool, target: RequestTarget, body: RequestBody?, other: Other) {
    self.isInQuery = isInQuery
    self.target = target
    self.body = body
    self.other = other
  }
}

extension Request {
  /// Returns the request with parameters in the place that its method determines.
  func with(automatic value: some Encodable) throws(FreshetError) -> Request {
    let isInQuery = HTTPMethod.withQuery.contains(method)
    var request = try with(parameters: value, in: isInQuery ? .query() : .json)
    let other: AutomaticParameters.Other
    do throws(FreshetError) {
      other =
        isInQuery ? .body(try .json(value)) : .query(try QueryEncoding().encode(value))
    } catch {
      other = .refused(error.invalidity ?? "its parameters cannot be encoded")
    }
    request.automatic = AutomaticParameters(
      isInQuery: isInQuery,
      target: target,
      body: body,
      other: other
    )
    return request
  }

  /// Places the parameters in the query if the method is one of these, and otherwise in the body.
  mutating func placeParameters(byQueryMethods methods: Set<HTTPMethod>) {
    guard let automatic, methods.contains(method) != automatic.isInQuery else { return }
    target = automatic.target
    body = automatic.body
    switch automatic.other {
    case .query(let query):
      target = automatic.target.appending(query: query)
    case .body(let body):
      self.body = body
    case .refused(let reason):
      let path = RequestPath(raw: automatic.target.url.absoluteString)
      target = .path(path.refused(reason))
    }
  }
}

extension HTTPMethod {
  /// The methods whose parameters go into the query by default.
  static let withQuery: Set<HTTPMethod> = [.get, .head, .delete, .options]
}

extension RequestTarget {
  /// Returns the target with more in its query; if that makes no valid URL, sending it fails.
  func appending(query: String) -> RequestTarget {
    guard !query.isEmpty else { return self }
    switch self {
    case .path(let path): return .path(path.appending(query: query))
    case .url(let url):
      let text = RequestPath.appending(query: query, to: url.absoluteString)
      if let url = URL(string: text, encodingInvalidCharacters: false) { return .url(url) }
      return .path(RequestPath(raw: text).refused("its URL is not valid"))
    }
  }
}
