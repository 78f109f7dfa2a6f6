import FreshetEssentials

extension Request {
  /// Creates a request from the text of a URL, which may come from an untrusted source.
  ///
  /// Characters that a URL may not contain, but that have only one meaning, are encoded: spaces, non-ASCII
  /// letters and marks such as `|` or `{` in path, query and fragment become `%20` and so on, and a Unicode
  /// host is converted to its ASCII form. Encoded characters stay as they are; nothing is encoded twice.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - text: An absolute `http` or `https` URL.
  /// - Throws: ``FreshetError/invalidRequest(_:url:)`` if the text is not such a URL, or if it is
  ///   ambiguous: white space around it, control characters, backslashes, a `%` without two hexadecimal
  ///   digits, a host with fullwidth or invisible characters, a user or password, see ``validate()``.
  public init(_ method: HTTPMethod, _ text: String) throws(FreshetError) {
    let refused = { (reason: String) -> FreshetError in
      .invalidRequest(reason, url: Redaction.shown(text))
    }
    if let problem = Self.ambiguity(in: text) ?? URLCheck.ambiguity(in: text) {
      throw refused(problem)
    }
    let written = HostName.withASCIIHost(text)
    let url =
      URL(string: written, encodingInvalidCharacters: false) ?? URL(string: Self.encoded(written))
    guard let url else { throw refused("it is not a valid URL") }
    self.init(method, url)
    try validate()
  }

  /// Creates a `GET` request from the text of a URL, with the same checks.
  ///
  /// - Parameter text: An absolute `http` or `https` URL.
  /// - Throws: ``FreshetError/invalidRequest(_:url:)`` if the text is not such a URL, or if it is ambiguous.
  public init(_ text: String) throws(FreshetError) {
    try self.init(.get, text)
  }

  /// Returns the reason why a text is ambiguous as a URL, or `nil`.
  private static func ambiguity(in text: String) -> String? {
    let bytes = text.utf8
    if bytes.contains(where: ASCII.isControl) { return "it contains a control character" }
    if bytes.first == 0x20 || bytes.last == 0x20 { return "it has spaces around it" }
    if bytes.contains(ASCII.backslash) { return "it contains a backslash; write “/” or “%5C”" }
    return PercentEncoding.isValid(bytes)
      ? nil : "it contains a “%” that does not begin an encoded byte; write “%25”"
  }

  /// Returns the text with the characters encoded that path, query and fragment may not contain.
  private static func encoded(_ text: String) -> String {
    guard let rest = URLParts(text)?.rest else { return text }
    var encoded = String(text[..<rest.startIndex])
    var component = UInt8(ascii: "/")
    for byte in rest.utf8 {
      let startsComponent =
        byte == UInt8(ascii: "#") && component != byte
        || byte == UInt8(ascii: "?") && component == UInt8(ascii: "/")
      if startsComponent { component = byte }
      if startsComponent || isAllowed(byte, in: component) {
        encoded.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        encoded += byte < 0x10 ? "%0" : "%"
        encoded += String(byte, radix: 16, uppercase: true)
      }
    }
    return encoded
  }

  /// Returns whether a byte may occur unencoded in a component (RFC 3986 sections 3.3 to 3.5).
  private static func isAllowed(_ byte: UInt8, in component: UInt8) -> Bool {
    ASCII.isLetter(byte) || ASCII.isDigit(byte) || "-._~!$&'()*+,;=:@/%".utf8.contains(byte)
      || byte == UInt8(ascii: "?") && component != UInt8(ascii: "/")
  }
}
