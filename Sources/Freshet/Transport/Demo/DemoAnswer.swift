public import FreshetEssentials

/// A response of a demo: a status, header fields and a body.
///
/// ```swift
/// .file("users.json")
/// .file("error.json", status: 422)
/// ```
public struct DemoAnswer: Sendable {
  enum Body: Sendable {
    case file(String)
    case bytes(Data)
  }

  /// The status code.
  public var status: HTTPStatus
  /// The header fields.
  ///
  /// Missing fields are added: `Content-Type` (from the file's extension), `Content-Length`, and
  /// `Cache-Control: no-store`, so that no store serves the response as the server's later.
  public var headers: HTTPHeaders
  let body: Body

  /// Creates a response with a file as its body.
  ///
  /// - Parameters:
  ///   - name: The file's path within the demo's directory, with its extension. If the file does not
  ///     exist or is outside the directory, the call fails with ``FreshetError/file(_:path:)``.
  ///   - status: The status code; 200 by default.
  ///   - headers: The header fields; none by default.
  /// - Returns: The response.
  public static func file(
    _ name: String,
    status: HTTPStatus = .ok,
    headers: HTTPHeaders = [:]
  ) -> DemoAnswer {
    DemoAnswer(status: status, headers: headers, body: .file(name))
  }

  /// Creates a response with bytes as its body.
  ///
  /// - Parameters:
  ///   - data: The body; empty by default.
  ///   - status: The status code; 200 by default.
  ///   - headers: The header fields; none by default.
  /// - Returns: The response.
  public static func bytes(
    _ data: Data = Data(),
    status: HTTPStatus = .ok,
    headers: HTTPHeaders = [:]
  ) -> DemoAnswer {
    DemoAnswer(status: status, headers: headers, body: .bytes(data))
  }
}
