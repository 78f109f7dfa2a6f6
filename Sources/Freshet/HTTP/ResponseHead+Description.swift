extension ResponseHead: RedactedDescribable {
  /// The status and the URL, without user, password, query and fragment.
  public var description: String { "\(status) from \(Redaction.shown(url))" }
  /// The status, the URL and the header fields without secrets, so that `dump` shows none.
  ///
  /// The ``Client/Configuration/secretHeaders`` of the client that received the response are secrets, too.
  public var customMirror: Mirror {
    let shown = secretRules.redacted(headers)
    return Mirror(
      self,
      children: ["status": status, "url": Redaction.shown(url), "headers": shown.description]
    )
  }

  /// The standard rules with the secret fields of the client that received the response.
  var secretRules: SecretRules {
    var rules = SecretRules.standard
    rules.headers.formUnion(notes.secretHeaders)
    return rules
  }
}
