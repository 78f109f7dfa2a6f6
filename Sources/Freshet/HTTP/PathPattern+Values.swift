public import FreshetEssentials

extension PathPattern {
  /// Extracts the values of the parameters from a URL: the reverse of ``path(_:)``.
  ///
  /// ```swift
  /// let users = try PathPattern("users/:id/files/:name")
  /// users.values(in: url, base: client.configuration.baseURL)   // ["id": "7", "name": "a/b.txt"]
  /// ```
  ///
  /// - The URL's path is split before its percent-encoding is decoded: a `%2F` is a slash in a value,
  ///   and does not separate. Each value is at least one character of a single segment.
  /// - Literals match byte by byte, with percent-encoding decoded on both sides.
  /// - A leading and a trailing slash are ignored, as are query and fragment.
  /// - A pattern that is a full URL only matches URLs of its origin, whatever the base is.
  ///
  /// - Parameters:
  ///   - url: The URL.
  ///   - base: The URL that the pattern is relative to: its origin has to be the same, and its path has
  ///     to precede the pattern. With `nil`, the default, the pattern is matched against the whole
  ///     path, whatever the origin.
  /// - Returns: A value for each name; `nil` if the URL does not match the pattern, or if a value is
  ///   not valid UTF-8.
  public func values(in url: URL, base: URL? = nil) -> [String: String]? {
    var base = base
    var pattern = pattern[...]
    if RequestPath(text: self.pattern).isFullURL {
      guard let parts = URLParts(self.pattern) else { return nil }
      base = URL(unicode: String(self.pattern[..<parts.rest.startIndex]))
      pattern = parts.rest
      guard base != nil else { return nil }
    }
    var segments = Self.segments(of: url.path(percentEncoded: true)[...])
    if let base {
      let prefix = Self.segments(of: base.path(percentEncoded: true)[...])
      guard base.hasSameOrigin(as: url), segments.count >= prefix.count,
        zip(prefix, segments).allSatisfy({ Self.decoded($0) == Self.decoded($1) })
      else { return nil }
      segments.removeFirst(prefix.count)
    }
    let pieces = Self.segments(of: pattern)
    guard pieces.count == segments.count else { return nil }
    var values: [String: String] = [:]
    for (piece, segment) in zip(pieces, segments) {
      guard Self.read(segment, as: piece, into: &values) else { return nil }
    }
    return values
  }

  private static func read(
    _ segment: Substring,
    as piece: Substring,
    into values: inout [String: String]
  ) -> Bool {
    let bytes = decoded(segment)
    guard piece.utf8.first == UInt8(ascii: ":") else { return bytes == decoded(piece) }
    let name = String(Substring(piece.utf8.dropFirst().prefix(while: isName)))
    let suffix = decoded(Substring(piece.utf8.dropFirst(1 + name.utf8.count)))
    let value = bytes.dropLast(suffix.count)
    guard !value.isEmpty, bytes.suffix(suffix.count).elementsEqual(suffix),
      let text = String(validating: value, as: UTF8.self)
    else { return false }
    values[name] = text
    return true
  }

  private static func decoded(_ text: Substring) -> [UInt8] {
    PercentEncoding.decoded(text.utf8)
  }

  private static func segments(of path: Substring) -> [Substring] {
    var path = path.utf8[...]
    if path.first == UInt8(ascii: "/") { path = path.dropFirst() }
    if path.last == UInt8(ascii: "/") { path = path.dropLast() }
    guard !path.isEmpty else { return [] }
    return path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .map { Substring($0) }
  }
}
