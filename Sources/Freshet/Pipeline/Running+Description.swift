extension Running: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The type of what it brings.
  public var description: String { "running, for \(Value.self)" }
  /// The ``description``.
  public var debugDescription: String { description }
  /// Nothing: what runs is no part of its value.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
