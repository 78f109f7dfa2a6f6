extension ResponseHead: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Status and URL, without user, password, query and fragment.
  public var description: String { "\(status) from \(Redaction.shown(url))" }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// Status, URL and header fields, secrets left out, so that `dump` shows none.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: ["status": status, "url": Redaction.shown(url), "headers": headers.description]
    )
  }
}
