import FreshetEssentials

extension URL {
  /// Parses a URL, or a reference that is relative to one, whose host may be in Unicode and becomes ASCII.
  ///
  /// Bytes that its other parts may not contain are encoded, and encoded bytes stay as they are.
  init?(unicode text: String, relativeTo base: URL? = nil) {
    let text = PercentEncoding.encode(reference: HostName.withASCIIHost(text))
    self.init(string: text, relativeTo: base)
  }
}

extension HostName {
  /// Returns the text of a URL with its host in ASCII (UTS 46 section 4); unchanged if that is impossible.
  ///
  /// Foundation derives the same, with its tables. FoundationEssentials, which has none, would percent-encode
  /// the host, and ``problem(with:)`` refuses such a one.
  static func withASCIIHost(_ text: String) -> String {
    #if canImport(Darwin)
    return text
    #else
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
    let scheme = text.utf8.starts(with: "//".utf8) ? "http:" : ""
    let url = scheme + text
    // The `://` of a relative reference may be that of a URL in its query.
    guard let parts = URLParts(url), URLOrigin.port(of: parts.scheme) != nil else { return text }
    let host = parts.host
    // Some characters are mapped to `/`, `@` or `:`, which would end the host, as a NUL does in C.
    guard !host.utf8.allSatisfy({ $0 < 0x80 }), !host.utf8.contains(0),
      let ascii = LoadedDomainNames.ascii(String(host)), problem(with: ascii[...]) == nil
    else { return text }
    return String((url[..<host.startIndex] + ascii + url[host.endIndex...]).dropFirst(scheme.count))
    #endif
  }
}
