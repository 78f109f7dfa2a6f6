#if os(Linux)
import CCurl
import Foundation

/// The header lines of a request as libcurl wants them, made where the caller is.
///
/// Unchecked: the list is made in the initialiser, only read afterwards, by the loop, and freed
/// with the last reference, when no transfer uses it any more.
final class CurlFields: @unchecked Sendable {
  private(set) var list: UnsafeMutablePointer<curl_slist>?
  /// Whether encoded bodies are asked for and decoded.
  let decodes: Bool

  init(_ request: Request) {
    let headers = request.headers
    // The part that a range names is one of the encoded form, which cannot be decoded alone.
    decodes = !headers.contains(.acceptEncoding) && !headers.contains(.range)
    if decodes { append("Accept-Encoding: \(ContentDecoder.offer)") }
    if !headers.contains(.host), let host = Self.host(of: request.url) {
      append("Host: \(host)")
    }
    for field in headers where field.name != .contentLength && field.name != .transferEncoding {
      append(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
    }
    if let body = request.body {
      if let type = body.contentType, !headers.contains(.contentType) {
        append("Content-Type: \(type)")
      }
      if !headers.contains("Expect") { append("Expect:") }
    } else if [.post, .put, .patch].contains(request.method) {
      append("Content-Length: 0")
    }
  }

  deinit {
    curl_slist_free_all(list)
  }

  /// The `Host` of a request in clear (RFC 9110 section 7.2); `nil` where libcurl's own is as good.
  ///
  /// Behind a proxy, libcurl takes the brackets of the address that was asked over the same connection
  /// before. Hosts that it writes in another way than the URL are left to it.
  static func host(of url: URL) -> String? {
    var rest = Substring(url.absoluteString)
    let scheme = "http://"
    guard ASCII.equalIgnoringCase(rest.prefix(scheme.count), scheme) else { return nil }
    rest = rest.dropFirst(scheme.count).prefix { !"/?#".contains($0) }
    if let at = rest.lastIndex(of: "@") { rest = rest[rest.index(after: at)...] }
    let end = rest.lastIndex(of: "]") ?? rest.startIndex
    let colon = rest[end...].lastIndex(of: ":")
    let host = rest[..<(colon ?? rest.endIndex)]
    let port = colon.map { rest[rest.index(after: $0)...] } ?? ""
    guard isWrittenAlike(host), port.isEmpty || UInt16(port) != nil else { return nil }
    return UInt16(port).map { $0 == 80 ? String(host) : "\(host):\($0)" } ?? String(host)
  }

  /// Whether a host is a name, an address in four parts, or one of IPv6 without a zone.
  private static func isWrittenAlike(_ host: Substring) -> Bool {
    if host.hasPrefix("[") {
      return host.utf8.dropFirst().dropLast().allSatisfy { ASCII.isHexDigit($0) || $0 == 0x3A }
    }
    let labels = host.split(separator: ".", omittingEmptySubsequences: true)
    guard let last = labels.last?.utf8.first,
      host.utf8.allSatisfy({
        ASCII.isLetter($0) || ASCII.isDigit($0) || $0 == 0x2D || $0 == 0x2E || $0 == 0x5F
      })
    else { return false }
    var address = in_addr()
    return !(0x30...0x39).contains(last) || inet_pton(AF_INET, String(host), &address) == 1
  }

  private func append(_ line: String) {
    if let longer = curl_slist_append(list, line) { list = longer }
  }
}
#endif
