public import Foundation

extension Request {
  /// Describes a `GET` relative to a client's base URL.
  ///
  /// ```swift
  /// let user = try await client.send(.get("users/7")).decode(User.self).value
  /// ```
  ///
  /// - A path such as `users/7` is appended to the base URL's, whether that ends with a slash or not.
  /// - A path that begins with a slash takes the place of the base URL's path.
  /// - A full `http` or `https` URL is taken as it is, and the base URL does not count.
  ///
  /// - Parameters:
  ///   - path: A path, perhaps with a query, or a URL. What a URL may not hold is encoded, what is
  ///     encoded already stays.
  ///   - query: What is added to the query, in order; every character with a meaning is encoded.
  ///   - headers: The header fields of this request and of no other.
  /// - Returns: A request; without a base URL, a relative one fails when it is sent.
  public static func get(
    _ path: String,
    query: [URLQueryItem] = [],
    headers: HTTPHeaders = [:]
  ) -> Request {
    Request(.get, RelativeURL.make(path, query: query), headers: headers)
  }
}
