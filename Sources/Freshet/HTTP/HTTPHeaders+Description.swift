extension HTTPHeaders: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// One line a field; the values of credentials and cookies are replaced by `<redacted>`, and so are
  /// secret parameters of URLs in fields such as `Location`, see ``SecretRules/standard``.
  public var description: String { lines.joined(separator: "\n") }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// The lines of ``description``, so that `dump` shows no secrets.
  public var customMirror: Mirror {
    Mirror(self, unlabeledChildren: lines, displayStyle: .collection)
  }

  private var lines: [String] {
    SecretRules.standard.redacted(self).map { Printable.line("\($0.name): \($0.value)") }
  }
}

extension HTTPHeaders.Field: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// The field as a line, its secrets replaced by `<redacted>`.
  public var description: String { HTTPHeaders([self]).description }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// The name and the line, so that `dump` shows no secrets.
  public var customMirror: Mirror { Mirror(self, children: ["line": description]) }
}
