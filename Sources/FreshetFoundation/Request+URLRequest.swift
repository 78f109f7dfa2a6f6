public import Freshet

#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

extension Request {
  /// Converts a request of Foundation.
  ///
  /// It takes over the method, the URL, the headers, a body of bytes, and the timeout, which becomes
  /// that of the first byte and the idle timeout; on Apple platforms also the networks that it may use.
  /// Foundation's other settings (cache policy, service type, cookies) have no counterpart and are
  /// ignored; so is `Content-Length`, which is derived from the body.
  ///
  /// - Parameter other: The request to convert.
  /// - Throws: `FreshetError/invalidRequest(_:url:)` if it has no URL, if its body is a stream, which
  ///   can be read only once and by one reader, or if `validate()` refuses it.
  public init(_ other: URLRequest) throws(FreshetError) {
    guard let url = other.url else {
      throw .invalidRequest("it has no URL", url: "")
    }
    guard other.httpBodyStream == nil else {
      let reason = "its body is an InputStream; use RequestBody.stream or RequestBody.file"
      throw .invalidRequest(reason, url: Redaction.shown(url))
    }
    self.init(HTTPMethod(other.httpMethod ?? "GET"), url.absoluteURL)
    let fields = other.allHTTPHeaderFields ?? [:]
    headers = HTTPHeaders(
      fields.sorted { $0.key < $1.key }
        .map { HTTPHeaders.Field(name: HTTPHeaders.Name($0.key), value: $0.value) }
    )
    headers.remove(.contentLength)
    body = other.httpBody.map { .bytes($0) }
    // Foundation has no infinite timeout: a very long one means that. 0 means Foundation's default.
    if other.timeoutInterval > 0 {
      let isLimited = other.timeoutInterval < URLRequest.longestTimeout
      timeouts.idle = isLimited ? .seconds(other.timeoutInterval) : nil
      timeouts.firstByte = timeouts.idle
    }
    #if canImport(Darwin)
    if !other.allowsCellularAccess { networks.remove(.cellular) }
    if !other.allowsExpensiveNetworkAccess { networks.remove(.expensive) }
    if !other.allowsConstrainedNetworkAccess { networks.remove(.constrained) }
    #endif
    try validate()
  }
}

extension URLRequest {
  /// The timeout, in seconds, that stands for none: more than a century.
  fileprivate static let longestTimeout = 4e9

  /// Converts a request for use with `URLSession`.
  ///
  /// It takes over the method, the URL, the headers, a body of bytes with its media type, and the idle
  /// timeout; on Apple platforms also the networks that it may use. Foundation has one line per
  /// field: repeated ones are joined by commas. Redirects, limits, the other timeouts, the priority
  /// and the tags are ignored.
  ///
  /// - Parameter request: The request to convert.
  /// - Throws: `FreshetError/invalidRequest(_:url:)` if its body is a file or a stream, or if
  ///   `Request/validate()` refuses it.
  public init(_ request: Request) throws(FreshetError) {
    try request.validate()
    self.init(url: request.url)
    httpMethod = request.method.rawValue
    for field in request.headers {
      addValue(field.value, forHTTPHeaderField: field.name.rawValue)
    }
    // Cookies are not joined with commas, as other fields are (RFC 9110 section 5.3).
    let cookies = request.headers[values: .cookie]
    if cookies.count > 1 {
      setValue(cookies.joined(separator: "; "), forHTTPHeaderField: "Cookie")
    }
    // On Linux, URLSession counts its milliseconds in an integer, and traps if they do not fit.
    let seconds = request.timeouts.idle.map { $0 / .seconds(1) }
    timeoutInterval = min(seconds ?? Self.longestTimeout, Self.longestTimeout)
    #if canImport(Darwin)
    allow(request.networks)
    #endif
    guard let body = request.body else { return }
    guard let data = body.bytes else {
      let reason = "a body that is a file or a stream has no counterpart in URLRequest"
      throw .invalidRequest(reason, url: Redaction.shown(request.url))
    }
    // On Apple platforms, even an empty one would fail a GET.
    if request.method != .get || !data.isEmpty { httpBody = data }
    if let type = body.contentType, !request.headers.contains(.contentType) {
      setValue(type.description, forHTTPHeaderField: "Content-Type")
    }
  }
}
