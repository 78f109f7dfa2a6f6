public import Foundation

/// What a demo answers: a status, header fields and a body.
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
  /// The header fields; `Content-Type` (by the file's extension) and `Content-Length` are added
  /// unless they are here, and so is `Cache-Control: no-store`, so that no store serves it later as
  /// the server's.
  public var headers: HTTPHeaders
  let body: Body

  private init(status: HTTPStatus, headers: HTTPHeaders, body: Body) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// Answers with a file.
  ///
  /// - Parameters:
  ///   - name: The file's path within the demo's directory, with its extension. One that is not
  ///     there, or that leads out of the directory, fails the call with
  ///     ``FreshetError/file(_:path:)``.
  ///   - status: The status code; 200 by default.
  ///   - headers: The header fields; none by default.
  /// - Returns: The answer.
  public static func file(
    _ name: String,
    status: HTTPStatus = .ok,
    headers: HTTPHeaders = [:]
  ) -> DemoAnswer {
    DemoAnswer(status: status, headers: headers, body: .file(name))
  }

  /// Answers with bytes.
  ///
  /// - Parameters:
  ///   - data: The body; empty by default.
  ///   - status: The status code; 200 by default.
  ///   - headers: The header fields; none by default.
  /// - Returns: The answer.
  public static func bytes(
    _ data: Data = Data(),
    status: HTTPStatus = .ok,
    headers: HTTPHeaders = [:]
  ) -> DemoAnswer {
    DemoAnswer(status: status, headers: headers, body: .bytes(data))
  }
}
