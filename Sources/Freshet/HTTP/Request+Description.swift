extension Request: RedactedDescribable {
  /// The method and the URL, without user, password, query and fragment.
  public var description: String { Printable.line("\(method) \(Redaction.shown(url))") }
  /// The method, the URL and the header fields without secrets, so that `dump` shows none.
  public var customMirror: Mirror {
    let shown = secretRules().redacted(headers)
    return Mirror(
      self,
      children: ["method": method, "url": Redaction.shown(url), "headers": shown.description]
    )
  }

  /// Returns the rules with this request's own secret fields; ``SecretRules/none`` is returned unchanged.
  func secretRules(_ rules: SecretRules = .standard) -> SecretRules {
    guard !redirects.secretHeaders.isEmpty, rules != .none else { return rules }
    var rules = rules
    rules.headers.formUnion(redirects.secretHeaders)
    return rules
  }

  /// Returns the rules for the response to this request: they also hide the values of its secrets.
  package func responseRules(
    _ rules: SecretRules = .standard,
    for head: ResponseHead?
  ) -> SecretRules {
    secretRules(rules).hidingSecrets(of: self, answeredWith: head)
  }
}
