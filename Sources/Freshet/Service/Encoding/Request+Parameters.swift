/// Where parameters go.
public enum ParameterPlace: Sendable, Hashable {
  /// Where the method says: into the query for `GET`, `HEAD`, `DELETE` and `OPTIONS`, into a JSON
  /// body for any other. A client may name other methods, see
  /// ``Client/Configuration/queryMethods``.
  case automatic
  /// Into the query, whatever the method.
  case query(QueryEncoding = QueryEncoding())
  /// Into a form in the body, whatever the method.
  case form(QueryEncoding = QueryEncoding())
  /// Into a JSON body, whatever the method.
  case json
  /// Into a property list in the body, whatever the method.
  case propertyList
}

extension Request {
  /// The request with parameters where the method says, or where it is told.
  ///
  /// A body replaces the one that is there; a query is added to the one that is there.
  ///
  /// ```swift
  /// let search = try Request("https://example.org/users").with(parameters: ["page": 2])
  /// let update = try Request(.post, "https://example.org/users").with(parameters: user)
  /// ```
  ///
  /// - Parameters:
  ///   - value: Any value; a query and a form need one with named fields.
  ///   - place: Where the parameters go.
  /// - Returns: The request.
  /// - Throws: ``FreshetError/invalidRequest(_:url:)`` if the value cannot be encoded.
  public func with(
    parameters value: some Encodable,
    in place: ParameterPlace = .automatic
  ) throws(FreshetError) -> Request {
    var request = self
    switch place {
    case .automatic:
      return try with(automatic: value)
    case .query(let encoding):
      return try adding(query: value, encoding: encoding)
    case .form(let encoding):
      request.body = try .form(value, encoding: encoding)
    case .json:
      request.body = try .json(value)
    case .propertyList:
      request.body = try .propertyList(value)
    }
    return request
  }
}
