extension Response: RedactedDescribable {
  /// Status, URL and type, without user, password, query and fragment, and nothing of the body.
  public var description: String { "\(head), \(body.count) bytes as \(Value.self)" }
  /// The head, secrets left out, and the value.
  public var customMirror: Mirror { Mirror(self, children: ["head": head, "value": value]) }
}
