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
    } else if request.method == .post || request.method == .put || request.method == .patch {
      append("Content-Length: 0")
    }
  }

  deinit {
    curl_slist_free_all(list)
    curl_slist_free_all(proxyList)
  }

  /// Returns the `Host` of a request over `http` (RFC 9110 section 7.2); `nil` if libcurl's own is as good.
  ///
  /// Behind a proxy, libcurl keeps the IPv6 brackets of the previous request on the same connection.
  /// Hosts that libcurl writes differently from the URL are left to it.
  static func host(of url: URL) -> String? {
    var text = url.absoluteString
    return text.withUTF8 { host(in: $0) }
  }

  private static func host(in url: UnsafeBufferPointer<UInt8>) -> String? {
    guard url.count > scheme.count,
      zip(url, scheme).allSatisfy({ ASCII.lowercased($0) == $1 })
    else { return nil }
    let end = url[scheme.count...].firstIndex(where: Self.endsAuthority) ?? url.count
    let start = url[scheme.count..<end].lastIndex(of: UInt8(ascii: "@")).map { $0 + 1 }
    let authority = url[(start ?? scheme.count)..<end]
    let address = authority.lastIndex(of: UInt8(ascii: "]")) ?? authority.startIndex
    let colon = authority[address...].lastIndex(of: UInt8(ascii: ":"))
    let host = authority[..<(colon ?? end)]
    guard isWrittenAlike(host) else { return nil }
    guard let colon, colon + 1 < end else { return String(decoding: host, as: UTF8.self) }
    let port = UInt16(String(decoding: authority[(colon + 1)...], as: UTF8.self))
    return port.map { port in
      let host = String(decoding: host, as: UTF8.self)
      return port == 80 ? host : host + ":" + String(port)
    }
  }

  private static let acceptEncoding = "Accept-Encoding: \(ContentDecoder.offer)"
  private static let scheme = Array("http://".utf8)

  private static func endsAuthority(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
  }

  /// Returns whether a host is a name, an IPv4 address in four parts, or an IPv6 address without a zone.
  private static func isWrittenAlike(_ host: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    if host.first == UInt8(ascii: "[") {
      return host.dropFirst().dropLast().allSatisfy { ASCII.isHexDigit($0) || $0 == 0x3A }
    }
    let isPlain = host.allSatisfy {
      ASCII.isLetter($0) || ASCII.isDigit($0) || $0 == 0x2D || $0 == 0x2E || $0 == 0x5F
    }
    guard isPlain, let last = host.lastIndex(where: { $0 != UInt8(ascii: ".") }) else {
      return false
    }
    let dot = host[..<last].lastIndex(of: UInt8(ascii: "."))
    guard ASCII.isDigit(host[dot.map { $0 + 1 } ?? host.startIndex]) else { return true }
    var address = in_addr()
    return inet_pton(AF_INET, String(decoding: host, as: UTF8.self), &address) == 1
  }

  private mutating func append(_ line: String) {
    // The implicit conversion of an argument would copy it.
    line.withCString { line in
      if let longer = curl_slist_append(list, line) { list = longer }
    }
  }
}
#endif
