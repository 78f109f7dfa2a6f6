extension HTTPHeaders: RedactedDescribable {
  /// The fields, one per line, with secrets replaced by `<redacted>`.
  ///
  /// These are the values of credentials and cookies, and secret parameters of URLs in fields such as
  /// `Location`, see ``SecretRules/standard``.
  public var description: String { lines.joined(separator: "\n") }
  /// The lines of ``description``, so that `dump` shows no secrets.
  public var customMirror: Mirror {
    Mirror(self, unlabeledChildren: lines, displayStyle: .collection)
  }

  private var lines: [String] {
    SecretRules.standard.redacted(self).map { Printable.line("\($0.name): \($0.value)") }
  }
}

extension HTTPHeaders.Field: RedactedDescribable {
  /// The field as a line, with its secrets replaced by `<redacted>`.
  public var description: String { HTTPHeaders([self]).description }
  /// The name and the line, so that `dump` shows no secrets.
  public var customMirror: Mirror { Mirror(self, children: ["line": description]) }
}
