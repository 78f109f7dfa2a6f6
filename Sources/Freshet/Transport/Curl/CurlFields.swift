#if !canImport(Darwin)
import CCurl
import FreshetEssentials

/// The header lines of a request in libcurl's form, created on the caller's thread.
///
/// It is `@unchecked Sendable` because it cannot be copied, the lists are only written in the initialiser,
/// then only read by the loop, and freed with their exchange, when no transfer uses them any more.
struct CurlFields: ~Copyable, @unchecked Sendable {
  private(set) var list: UnsafeMutablePointer<curl_slist>?
  /// The lines for a proxy, which no server gets.
  private(set) var proxyList: UnsafeMutablePointer<curl_slist>?
  /// A Boolean value that indicates whether encoded bodies are accepted and decoded.
  let decodes: Bool

  /// Creates the lines of a request.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - isDirect: A Boolean value that indicates whether it goes through no proxy.
  ///   - userAgent: The `User-Agent` of requests that have none.
  init(_ request: borrowing Request, isDirect: Bool, userAgent: String) {
    let headers = request.headers
    // A range refers to the encoded form, of which a part cannot be decoded alone.
    decodes =
      !headers.contains(.acceptEncoding) && !headers.contains(.range) && !request.isUpgrade
    if decodes { append(Self.acceptEncoding) }
    // Through a proxy it is an option, from which libcurl writes it into each request twice.
    if isDirect, !userAgent.isEmpty, !headers.contains(.userAgent) {
      append("User-Agent: " + userAgent)
    }
    if !isDirect, !headers.contains(.host), let host = Self.host(of: request.url) {
      append("Host: " + host)
    }
    for field in headers where field.name != .contentLength && field.name != .transferEncoding {
      if field.name == .proxyAuthorization {
        proxyList = curl_slist_append(proxyList, "\(field.name): \(field.value)") ?? proxyList
        continue
      }
      let name = field.name.rawValue
      append(field.value.isEmpty ? name + ";" : name + ": " + field.value)
    }
    if let body = request.body {
      if let type = body.contentType, !headers.contains(.contentType) {
        append("Content-Type: \(type)")
      }
      if !headers.contains("Expect") { append("Expect:") }
      // Without a coding, libcurl sends the bytes as they are.
      if request.isUpgrade { append("Transfer-Encoding:") }
    } else {
      switch request.method {
      case .post, .put, .patch, .query: append("Content-Length: 0")
      default: break
      }
    }
  }

  deinit {
    curl_slist_free_all(list)
    curl_slist_free_all(proxyList)
  }

  /// Returns the `Host` of a request over `http` (RFC 9110 section 7.2).
  ///
  /// Behind a proxy, libcurl keeps the IPv6 brackets of the previous request on the same connection.
  private static func host(of url: URL) -> String? {
    guard let origin = URLOrigin(url), origin.scheme == "http" else { return nil }
    return origin.authority
  }

  private static let acceptEncoding = "Accept-Encoding: \(ContentDecoder.offer)"

  private mutating func append(_ line: String) {
    // The implicit conversion of an argument would copy it.
    line.withCString { line in
      if let longer = curl_slist_append(list, line) { list = longer }
    }
  }
}
#endif
