public import FreshetEssentials

// Likely mistakes: the message is the compiler's error.

extension Request {
  /// Requires a path instead of a URL.
  @available(*, unavailable, message: "a URL is not a path: write `Request(url)`")
  public static func get(_ url: URL) -> Request { Request(url) }

  /// Requires an encoded body.
  @available(*, unavailable, message: "write `.post(path, body: try .json(value))`")
  public static func post<Body: Encodable>(_ path: RequestPath, body: Body) -> Request {
    .post(path)
  }

  /// Requires an encoded body.
  @available(*, unavailable, message: "write `.put(path, body: try .json(value))`")
  public static func put<Body: Encodable>(_ path: RequestPath, body: Body) -> Request {
    .put(path)
  }

  /// Requires an encoded body.
  @available(*, unavailable, message: "write `.patch(path, body: try .json(value))`")
  public static func patch<Body: Encodable>(_ path: RequestPath, body: Body) -> Request {
    .patch(path)
  }
}
