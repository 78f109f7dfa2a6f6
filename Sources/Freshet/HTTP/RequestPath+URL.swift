public import FreshetEssentials

extension RequestPath {
  /// Resolves the path against a base URL, as a pure function of the two.
  ///
  /// - A relative path is appended to the base URL's path, whether that ends with a slash or not: `users`
  ///   relative to `https://example.org/v1` or `https://example.org/v1/` is `https://example.org/v1/users`.
  /// - A leading slash makes no difference: `/users` is the same as `users`. Use ``atOrigin(_:)`` to
  ///   begin at the origin instead.
  /// - An empty path is the base URL itself. A trailing slash is kept.
  /// - A full URL, which begins with a scheme and `://`, is used as it is, without any part of the base
  ///   URL. Values cannot form one: their `:` and `/` are encoded.
  /// - The base URL's query comes first, followed by `&` and the path's own. The base URL's fragment is
  ///   left out.
  /// - Two leading slashes, which would name another host, are refused.
  ///
  /// - Parameter base: An absolute `http` or `https` URL; with `nil`, only full URLs can be resolved.
  /// - Returns: An absolute `http` or `https` URL.
  /// - Throws: ``FreshetError/invalidRequest(_:url:)`` if the path could lead to another place than it
  ///   says, see ``RequestPath``; if it is not a full URL and there is no base URL; or if the result is
  ///   not a URL that can be sent, see ``Request/validate()``.
  public func url(base: URL?) throws(FreshetError) -> URL {
    if let problem { throw .invalidRequest(problem, url: shownURL(base)) }
    if isFullURL { return try Request(text).url }
    guard let base else {
      throw .invalidRequest(
        "its URL is relative, and the client has no baseURL",
        url: shownURL(nil)
      )
    }
    guard !text.utf8.starts(with: "//".utf8) else {
      let reason = "its path begins with two slashes, which would name another host"
      throw .invalidRequest(reason, url: shownURL(base))
    }
    return try Request(appended(to: base.absoluteString)).url
  }

  /// A Boolean value that indicates whether the path begins with a scheme and `://` (RFC 3986 section 3.1).
  var isFullURL: Bool {
    guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")), colon != text.startIndex,
      text[colon...].utf8.starts(with: "://".utf8)
    else { return false }
    return ASCII.isScheme(text.utf8[..<colon])
  }

  private func appended(to base: String) -> String {
    let (path, query, fragment) = Self.split(text[...])
    var (url, baseQuery, _) = Self.split(base[...])
    if isAtOrigin, let parts = URLParts(base) {
      url = base[..<parts.rest.startIndex]
    }
    var result = String(url)
    if !path.isEmpty || isAtOrigin {
      if result.utf8.last == UInt8(ascii: "/") { result.removeLast() }
      result += "/"
      // A byte, not a character: a combining mark after the slash would go with it.
      let isRooted = path.utf8.first == UInt8(ascii: "/")
      result += isRooted ? Substring(path.utf8.dropFirst()) : path
    }
    let queries = [baseQuery, query].compactMap(\.self).filter { !$0.isEmpty }
    if !queries.isEmpty { result += "?" + queries.joined(separator: "&") }
    if let fragment { result += "#" + fragment }
    return result
  }

  private func shownURL(_ base: URL?) -> String {
    isFullURL ? Redaction.shown(text) : base.map { Redaction.shown($0) } ?? ""
  }

  /// Splits a text into the part before the query, the query and the fragment, without their marks.
  static func split(
    _ text: Substring
  ) -> (path: Substring, query: Substring?, fragment: Substring?) {
    let fragmentMark = text.utf8.firstIndex(of: UInt8(ascii: "#"))
    let fragment = fragmentMark.map { text[text.utf8.index(after: $0)...] }
    let text = text[..<(fragmentMark ?? text.endIndex)]
    let queryMark = text.utf8.firstIndex(of: UInt8(ascii: "?"))
    let query = queryMark.map { text[text.utf8.index(after: $0)...] }
    return (text[..<(queryMark ?? text.endIndex)], query, fragment)
  }
}
