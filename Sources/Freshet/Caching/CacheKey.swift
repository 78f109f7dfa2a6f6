import FreshetEssentials

/// The key under which a response is stored: scheme, host, port, path and query, and the method
/// unless it is `GET` or `HEAD`, which share their entries (RFC 9111 section 2).
///
/// URLs that differ only in the case of scheme and host, in whether the scheme's own port is
/// written, or in the `/` of an empty path have the same key (RFC 9110 section 4.2.3). A `Host`
/// field that names another host than the URL is part of the key. ``Request/cacheIdentity`` can add
/// headers, method and body.
///
/// Keys of different partitions are never equal: texts are compared by their bytes, so that two Unicode
/// spellings of a name are two partitions. An app that signs users in and out uses one
/// partition for each user.
public struct CacheKey: Sendable, Hashable {
  /// The key as text, stable between versions: stores persist it.
  public let text: String

  /// Makes the key of a request.
  ///
  /// - Parameters:
  ///   - request: The request; its URL's fragment is ignored.
  ///   - partition: The name that separates entries of the same URL, such as a user's name; `""` by
  ///     default.
  public init(_ request: Request, partition: String = "") {
    text = Self.text(of: request, in: partition)
  }

  private static func text(of request: Request, in partition: String) -> String {
    let url = normalized(request.url)
    // Most requests are found by their URL alone.
    if partition.isEmpty, request.headers.isEmpty, request.method == .get,
      request.cacheIdentity.isURL
    {
      return url
    }
    return prefix(partition) + extended(url, for: request)
  }

  private static func extended(_ url: String, for request: Request) -> String {
    var text = url
    if let host = otherHost(of: request) { text += " \(host)" }
    text += request.cacheIdentity.suffix(of: request)
    if request.method != .get, request.method != .head, !request.isIdentifiedWhole {
      text = "\(request.method) \(text)"
    }
    return text
  }

  /// Returns the host of a `Host` field that names another one than the URL.
  private static func otherHost(of request: Request) -> String? {
    guard let host = request.headers[.host].map({ ASCII.lowercased($0) }) else { return nil }
    guard let origin = URLOrigin(request.url) else { return host }
    return [origin.authority, "\(origin.host):\(origin.port)"].contains(host) ? nil : host
  }

  /// Makes the key under which a `GET` of the URL is stored.
  init(_ url: URL, partition: String = "") {
    text = Self.prefix(partition) + Self.normalized(url)
  }

  /// The name that separates the key from those of other partitions; `""` for none.
  public var partition: String {
    text.utf8.lastIndex(of: Self.separator).map { Self.unescaped(text[..<$0]) } ?? ""
  }

  /// Returns the same key in another partition.
  func moved(to partition: String) -> CacheKey {
    CacheKey(text: Self.prefix(partition) + own)
  }

  /// The key's text without its partition.
  var own: Substring {
    guard let end = text.utf8.lastIndex(of: Self.separator) else { return text[...] }
    return text[text.utf8.index(after: end)...]
  }

  /// Makes a key of the ``text`` of another one.
  public init(text: String) {
    self.text = text
  }

  private static func normalized(_ url: URL) -> String {
    let text = url.absoluteString
    // Nearly all URLs are in normal form already.
    if PlainURL.matches(text, without: UInt8(ascii: "#")) { return text }
    // The key of a `ws` URL, which no request may have, is not that of a resource.
    guard let parts = URLParts(text), URLOrigin.port(of: parts.scheme) != nil,
      let origin = URLOrigin(parts)
    else { return text }
    let fragment = parts.rest.utf8.firstIndex(of: UInt8(ascii: "#")) ?? parts.rest.endIndex
    let rest = parts.rest[..<fragment]
    let slash = rest.utf8.first == UInt8(ascii: "/") ? "" : "/"
    return "\(origin.scheme)://\(origin.authority)\(slash)\(rest)"
  }
}

extension CacheKey {
  /// Returns whether two keys have the same bytes, as databases and the names of files compare them.
  public static func == (left: CacheKey, right: CacheKey) -> Bool {
    left.text.hasSameBytes(as: right.text)
  }
}

extension String {
  /// Returns whether both texts have the same bytes; `==` also takes two spellings of a letter for equal.
  package func hasSameBytes(as other: String) -> Bool {
    let isSame = utf8.withContiguousStorageIfAvailable { own in
      other.utf8.withContiguousStorageIfAvailable { other in
        guard let start = own.baseAddress, let otherStart = other.baseAddress else {
          return own.count == other.count
        }
        return own.count == other.count && memcmp(start, otherStart, own.count) == 0
      }
    }
    return (isSame ?? nil) ?? utf8.elementsEqual(other.utf8)
  }
}

extension Sequence<String> {
  /// Returns whether a tag is among these, by its bytes.
  func containsTag(_ tag: String) -> Bool {
    contains { $0.hasSameBytes(as: tag) }
  }
}

extension Set<String> {
  /// Returns whether both have the same tags, by their bytes.
  func hasSameTags(as other: Set<String>) -> Bool {
    count == other.count && allSatisfy { other.containsTag($0) }
  }
}

extension URL {
  /// Returns whether responses of both URLs are stored under the same key.
  func hasSameKey(as other: URL) -> Bool {
    absoluteString == other.absoluteString || CacheKey(self) == CacheKey(other)
  }
}
