import FreshetEssentials

/// A request's target and body with its parameters in the place that its method does not determine.
///
/// A client may choose it, see ``Client/Configuration/queryMethods``.
final class AutomaticParameters: Sendable {
  /// A Boolean value that indicates whether the request has its parameters in the query.
  let isInQuery: Bool
  let target: RequestTarget
  let body: RequestBody?

  init(isInQuery: Bool, target: RequestTarget, body: RequestBody?) {
    self.isInQuery = isInQuery
    self.target = target
    self.body = body
  }
}

extension Request {
  /// Returns the request with parameters in the place that its method determines.
  func with(automatic value: some Encodable) throws(FreshetError) -> Request {
    let isInQuery = HTTPMethod.withQuery.contains(method)
    var request = try with(parameters: value, in: isInQuery ? .query() : .json)
    var other = self
    do throws(FreshetError) {
      other = try with(parameters: value, in: isInQuery ? .json : .query())
    } catch {
      let path = RequestPath(raw: target.url.absoluteString)
      other.target = .path(path.refused(error.invalidity ?? "its parameters cannot be encoded"))
    }
    request.automatic = AutomaticParameters(
      isInQuery: isInQuery,
      target: other.target,
      body: other.body
    )
    return request
  }

  /// Places the parameters in the query if the method is one of these, and otherwise in the body.
  mutating func placeParameters(byQueryMethods methods: Set<HTTPMethod>) {
    guard let automatic, methods.contains(method) != automatic.isInQuery else { return }
    target = automatic.target
    body = automatic.body
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
