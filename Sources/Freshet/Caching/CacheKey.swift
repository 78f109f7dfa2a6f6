import Foundation

/// Under what a response is stored: scheme, host, port, path and query, and the method unless it is
/// `GET` or `HEAD`, which share their entries (RFC 9111 section 2).
///
/// URLs that differ only in the case of scheme and host, in whether the scheme's own port is written,
/// or in the `/` of an empty path have the same key (RFC 9110 section 4.2.3). A `Host` field that
/// names another host than the URL is part of the key.
///
/// Keys of different partitions never meet: an app that signs users in and out names the user.
public struct CacheKey: Sendable, Hashable {
  /// The key as text, stable between versions: stores persist it.
  public let text: String

  /// Makes the key of a request.
  ///
  /// - Parameters:
  ///   - request: The request; its URL's fragment does not count.
  ///   - partition: What separates entries of the same URL, such as a user's name; `""` by default.
  public init(_ request: Request, partition: String = "") {
    var text = Self.normalized(request.url)
    if let host = request.headers[.host] {
      text += " \(ASCII.lowercased(host))"
    }
    if request.method != .get, request.method != .head {
      text = "\(request.method) \(text)"
    }
    self.text = partition.isEmpty ? text : "\(partition)\n\(text)"
  }

  /// Makes the key of what a `GET` of the URL is stored under.
  init(_ url: URL, partition: String = "") {
    let text = Self.normalized(url)
    self.text = partition.isEmpty ? text : "\(partition)\n\(text)"
  }

  /// Makes a key of text that ``text`` once was.
  public init(text: String) {
    self.text = text
  }

  private static func normalized(_ url: URL) -> String {
    let text = url.absoluteString
    if isNormal(text) { return text }
    guard let parts = URLParts(text), let origin = URLOrigin(parts) else { return text }
    let fragment = parts.rest.utf8.firstIndex(of: UInt8(ascii: "#")) ?? parts.rest.endIndex
    let rest = parts.rest[..<fragment]
    let ownPort = URLOrigin.port(of: origin.scheme)
    let port = origin.port == ownPort ? "" : ":\(origin.port)"
    let slash = rest.utf8.first == UInt8(ascii: "/") ? "" : "/"
    return "\(origin.scheme)://\(origin.host)\(port)\(slash)\(rest)"
  }

  /// Whether nothing is left to do: true for nearly all URLs, and found out in one pass.
  private static func isNormal(_ text: String) -> Bool {
    text.utf8.withContiguousStorageIfAvailable(isNormal) ?? false
  }

  private static func isNormal(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let scheme = scheme(of: bytes) else { return false }
    var position = scheme.length
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "/"):
        return !bytes[position...].contains(UInt8(ascii: "#"))
      case UInt8(ascii: ":"):
        guard let end = endOfPort(in: bytes, from: position + 1, besides: scheme.port),
          end < bytes.count, bytes[end] == UInt8(ascii: "/")
        else { return false }
        position = end
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "?"), UInt8(ascii: "#"),
        UInt8(ascii: "@"), UInt8(ascii: "["):
        return false
      default: position += 1
      }
    }
    return false
  }

  /// The length of a scheme in lower case with its slashes, and its own port.
  private static func scheme(of bytes: UnsafeBufferPointer<UInt8>) -> (length: Int, port: Int)? {
    guard let start = bytes.baseAddress, bytes.count > 8 else { return nil }
    if memcmp(start, "https://", 8) == 0 { return (8, 443) }
    return memcmp(start, "http://", 7) == 0 ? (7, 80) : nil
  }

  /// The end of a port as it is written in a key; `nil` for the scheme's own, or for any other
  /// spelling.
  private static func endOfPort(
    in bytes: UnsafeBufferPointer<UInt8>,
    from start: Int,
    besides ownPort: Int
  ) -> Int? {
    var position = start
    var port = 0
    while position < bytes.count, ASCII.isDigit(bytes[position]), port <= 65_535 {
      port = port * 10 + Int(bytes[position] &- 0x30)
      position += 1
    }
    guard position > start, bytes[start] != 0x30, port <= 65_535, port != ownPort else {
      return nil
    }
    return position
  }
}
