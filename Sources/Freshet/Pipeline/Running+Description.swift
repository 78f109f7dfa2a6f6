extension Running: RedactedDescribable {
  /// The type of what it brings.
  public var description: String { "running, for \(Value.self)" }
}
