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
    guard let url = URL(unicode: text) else { throw refused("it is not a valid URL") }
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
}
