public import Foundation

// What is likely to be written instead of what there is: the message is the compiler's error.

extension Request {
  /// Takes a path.
  @available(*, unavailable, message: "a URL is no path: write `Request(url)`")
  public static func get(_ url: URL) -> Request { Request(url) }

  /// Takes a body.
  @available(*, unavailable, message: "write `.post(path, body: try .json(value))`")
  public static func post<Body: Encodable>(_ path: RequestPath, body: Body) -> Request {
    .post(path)
  }

  /// Takes a body.
  @available(*, unavailable, message: "write `.put(path, body: try .json(value))`")
  public static func put<Body: Encodable>(_ path: RequestPath, body: Body) -> Request {
    .put(path)
  }

  /// Takes a body.
  @available(*, unavailable, message: "write `.patch(path, body: try .json(value))`")
  public static func patch<Body: Encodable>(_ path: RequestPath, body: Body) -> Request {
    .patch(path)
  }
}
