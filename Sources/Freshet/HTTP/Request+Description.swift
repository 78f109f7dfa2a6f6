extension Request: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Method and URL, without user, password, query and fragment.
  public var description: String { Printable.line("\(method) \(Redaction.shown(url))") }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// Method, URL and header fields, secrets left out, so that `dump` shows none.
  public var customMirror: Mirror {
    let shown = secretRules().redacted(headers)
    return Mirror(
      self,
      children: ["method": method, "url": Redaction.shown(url), "headers": shown.description]
    )
  }

  /// The rules with the fields that this request calls secret; rules that hide nothing stay so.
  func secretRules(_ rules: SecretRules = .standard) -> SecretRules {
    guard !redirects.secretHeaders.isEmpty, rules != .none else { return rules }
    var rules = rules
    rules.headers.formUnion(redirects.secretHeaders)
    return rules
  }
}
