extension Request {
  /// Describes a `GET`, relative to a client's base URL.
  ///
  /// ```swift
  /// let user = try await client.send(.get("users/\(id)")).decode(User.self).value
  /// ```
  ///
  /// - Parameters:
  ///   - path: Where it goes: see ``RequestPath`` for what is encoded, and ``RequestPath/url(base:)``
  ///     for what relative paths and full URLs mean.
  ///   - query: What is added to the query in the default ``QueryEncoding``; for another one, see
  ///     ``adding(query:encoding:)``.
  ///   - headers: The header fields of this request and of no other.
  /// - Returns: A request. What is wrong with its path or its query fails it when it is sent, with
  ///   ``FreshetError/invalidRequest(_:url:)``; so does a relative path without a base URL.
  public static func get(
    _ path: RequestPath,
    query: ParameterList = [:],
    headers: HTTPHeaders = [:]
  ) -> Request {
    relative(.get, path, query, headers, nil)
  }

  /// Describes a `HEAD`, as ``get(_:query:headers:)`` describes a `GET`.
  public static func head(
    _ path: RequestPath,
    query: ParameterList = [:],
    headers: HTTPHeaders = [:]
  ) -> Request {
    relative(.head, path, query, headers, nil)
  }

  /// Describes a `POST`, as ``get(_:query:headers:)`` describes a `GET`.
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
    relative(.post, path, query, headers, body)
  }

  /// Describes a `PUT`, as ``get(_:query:headers:)`` describes a `GET`.
  public static func put(
    _ path: RequestPath,
    query: ParameterList = [:],
    headers: HTTPHeaders = [:],
    body: RequestBody? = nil
  ) -> Request {
    relative(.put, path, query, headers, body)
  }

  /// Describes a `PATCH`, as ``get(_:query:headers:)`` describes a `GET`.
  public static func patch(
    _ path: RequestPath,
    query: ParameterList = [:],
    headers: HTTPHeaders = [:],
    body: RequestBody? = nil
  ) -> Request {
    relative(.patch, path, query, headers, body)
  }

  /// Describes a `DELETE`, as ``get(_:query:headers:)`` describes a `GET`.
  public static func delete(
    _ path: RequestPath,
    query: ParameterList = [:],
    headers: HTTPHeaders = [:],
    body: RequestBody? = nil
  ) -> Request {
    relative(.delete, path, query, headers, body)
  }

  private static func relative(
    _ method: HTTPMethod,
    _ path: RequestPath,
    _ query: ParameterList,
    _ headers: HTTPHeaders,
    _ body: RequestBody?
  ) -> Request {
    var path = path
    do {
      path = path.appending(query: try QueryEncoding().encode(query))
    } catch {
      path = path.refused(error.invalidity ?? "its query cannot be encoded")
    }
    return Request(method, path: path, headers: headers, body: body)
  }
}
