import FreshetEssentials

extension Request {
  /// Returns the request with the fields of a value in its query.
  ///
  /// The existing query is unchanged and comes first; nothing is encoded twice. A fragment stays at
  /// the end.
  ///
  /// ```swift
  /// let request = try Request("https://example.org/users?active").adding(query: ["page": 2])
  /// // https://example.org/users?active&page=2
  /// ```
  ///
  /// - Parameters:
  ///   - value: A structure, a dictionary with keys of text, or a ``ParameterList``.
  ///   - encoding: The encoding of the fields.
  /// - Returns: The request; the same one if there is nothing to send.
  /// - Throws: ``FreshetError/invalidRequest(_:url:)`` if the value cannot be encoded.
  public func adding(
    query value: some Encodable,
    encoding: QueryEncoding = QueryEncoding()
  ) throws(FreshetError) -> Request {
    let added = try encoding.encode(value)
    guard !added.isEmpty else { return self }
    let text = url.absoluteString
    var request = self
    request.target = target.appending(query: added)
    if case (.url, .path) = (target, request.target) {
      throw .invalidRequest("its URL is not valid", url: Redaction.shown(text))
    }
    if let automatic {
      request.automatic = AutomaticParameters(
        isInQuery: automatic.isInQuery,
        target: automatic.target.appending(query: added),
        body: automatic.body
      )
    }
    return request
  }
}
