extension Request: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Method and URL, without user, password, query and fragment.
  public var description: String { "\(method) \(Redaction.shown(url))" }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// Method, URL and header fields, secrets left out, so that `dump` shows none.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: ["method": method, "url": Redaction.shown(url), "headers": headers.description]
    )
  }
}
