extension Request {
  /// Creates a request with any method, relative to a client's base URL, see ``get(_:query:headers:)``.
  ///
  /// ```swift
  /// var move = Request(HTTPMethod("MOVE"), path: "notes/1", headers: ["Destination": target])
  /// ```
  public init(
    _ method: HTTPMethod,
    path: RequestPath,
    query: ParameterList = [:],
    headers: HTTPHeaders = [:],
    body: RequestBody? = nil
  ) {
    var path = path
    do {
      path = path.appending(query: try QueryEncoding().encode(query))
    } catch {
      path = path.refused(error.invalidity ?? "its query cannot be encoded")
    }
    self.init(method, target: RequestTarget(path), headers: headers, body: body)
  }

  /// Creates a `GET` request, relative to a client's base URL.
  ///
  /// ```swift
  /// let user = try await client.send(.get("users/\(id)")).decode(User.self).value
  /// ```
  ///
  /// - Parameters:
  ///   - path: The path: see ``RequestPath`` for the encoding, and ``RequestPath/url(base:)`` for the
  ///     meaning of relative paths and full URLs.
  ///   - query: Parameters that are added to the query with the default ``QueryEncoding``; for another
  ///     encoding, see ``adding(query:encoding:)``.
  ///   - headers: The header fields of this request.
  /// - Returns: A request. If its path or query is invalid, or if a relative path has no base URL, it
  ///   fails when it is sent, with ``FreshetError/invalidRequest(_:url:)``.
  public static func get(
    _ path: RequestPath,
    query: ParameterList = [:],
    headers: HTTPHeaders = [:]
  ) -> Request {
    Request(.get, path: path, query: query, headers: headers)
  }

  /// Creates a `HEAD` request, see ``get(_:query:headers:)``.
  public static func head(
    _ path: RequestPath,
    query: ParameterList = [:],
    headers: HTTPHeaders = [:]
  ) -> Request {
    Request(.head, path: path, query: query, headers: headers)
  }

  /// Creates a `POST` request, see ``get(_:query:headers:)``.
  ///
  /// ```swift
  /// let request = Request.post("users", body: try .json(draft))
  /// ```
  public static func post(
    _ path: RequestPath,
    query: ParameterList = [:],
    headers: HTTPHeaders = [:],
    body: RequestBody? = nil
  ) -> Request {
    Request(.post, path: path, query: query, headers: headers, body: body)
  }

  /// Creates a `PUT` request, see ``get(_:query:headers:)``.
  public static func put(
    _ path: RequestPath,
    query: ParameterList = [:],
    headers: HTTPHeaders = [:],
    body: RequestBody? = nil
  ) -> Request {
    Request(.put, path: path, query: query, headers: headers, body: body)
  }

  /// Creates a `PATCH` request, see ``get(_:query:headers:)``.
  public static func patch(
    _ path: RequestPath,
    query: ParameterList = [:],
    headers: HTTPHeaders = [:],
    body: RequestBody? = nil
  ) -> Request {
    Request(.patch, path: path, query: query, headers: headers, body: body)
  }

  /// Creates a `DELETE` request, see ``get(_:query:headers:)``.
  public static func delete(
    _ path: RequestPath,
    query: ParameterList = [:],
    headers: HTTPHeaders = [:],
    body: RequestBody? = nil
  ) -> Request {
    Request(.delete, path: path, query: query, headers: headers, body: body)
  }
}
