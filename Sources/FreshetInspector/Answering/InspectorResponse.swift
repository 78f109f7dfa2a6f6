public import Freshet
public import FreshetEssentials

/// The response of an ``Inspector``, for an HTTP server to send.
public struct InspectorResponse: Sendable {
  /// The status code.
  public var status: HTTPStatus
  /// The header fields, without `Content-Length` and `Date`.
  public var headers: HTTPHeaders
  /// The body.
  public var body: Body

  /// The body of a response.
  public enum Body: Sendable {
    /// The whole body.
    case data(Data)
    /// Server-sent events, each to be sent as soon as it is there, until the connection is closed.
    case events(InspectorEvents)
  }

  init(_ status: HTTPStatus, _ type: String, _ data: Data, name: String? = nil) {
    self.init(status: status, type: type, body: .data(data))
    if let name { headers[.contentDisposition] = "attachment; filename=\"\(name)\"" }
  }

  init(json: [UInt8]) {
    self.init(.ok, "application/json", Data(json))
  }

  /// Makes a refusal, without a body for a `HEAD` (RFC 9110 section 9.3.2).
  init(refused status: HTTPStatus, of method: HTTPMethod = .get) {
    let body = method == .head ? Data() : Data("\(status.rawValue)\n".utf8)
    self.init(status, "text/plain; charset=utf-8", body)
    if status == 405 { headers["Allow"] = "GET, POST" }
  }

  init(status: HTTPStatus, type: String, body: Body) {
    self.status = status
    self.body = body
    headers = Self.protections
    headers[.contentType] = type
  }

  /// The page runs its own script only, is shown in no frame, is read by no other site and sends its URL nowhere.
  private static let protections: HTTPHeaders = [
    "Content-Security-Policy":
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
      + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
      + "require-trusted-types-for 'script'; trusted-types 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-store",
  ]
}
