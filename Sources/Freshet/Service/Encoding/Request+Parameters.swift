/// The place of a request's parameters.
public enum ParameterPlace: Sendable, Hashable {
  /// The place that the method determines: the query for `GET`, `HEAD`, `DELETE` and `OPTIONS`, a
  /// JSON body for any other method.
  ///
  /// A client may choose other methods, see ``Client/Configuration/queryMethods``.
  case automatic
  /// The query, whatever the method.
  case query(QueryEncoding = QueryEncoding())
  /// A form in the body, whatever the method.
  case form(QueryEncoding = QueryEncoding())
  /// A JSON body, whatever the method.
  case json
  /// A property list in the body, whatever the method.
  case propertyList
}

extension Request {
  /// Returns the request with parameters, in the place that its method determines or in the given one.
  ///
  /// A body replaces the existing one; a query is added to the existing one.
  ///
  /// ```swift
  /// let search = try Request("https://example.org/users").with(parameters: ["page": 2])
  /// let update = try Request(.post, "https://example.org/users").with(parameters: user)
  /// ```
  ///
  /// - Parameters:
  ///   - value: Any value; a query and a form need one with named fields.
  ///   - place: The place of the parameters; determined by the method by default.
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

  /// Returns the request with parameters of several types, in the place that its method determines
  /// or in the given one.
  ///
  /// ```swift
  /// let update = try Request(.post, "https://example.org/users")
  ///   .with(parameters: ["name": name, "age": 7])
  /// ```
  ///
  /// - Parameters:
  ///   - fields: The names and values, in their order.
  ///   - place: The place of the parameters; determined by the method by default.
  /// - Returns: The request.
  /// - Throws: ``FreshetError/invalidRequest(_:url:)`` if a value cannot be encoded.
  public func with(
    parameters fields: ParameterList,
    in place: ParameterPlace = .automatic
  ) throws(FreshetError) -> Request {
    let value: any Encodable = fields
    return try with(parameters: value, in: place)
  }
}
