/// A digest that a body must have.
public enum Checksum: Sendable, Hashable {
  /// A SHA-256.
  case sha256(SHA256Checksum)
}
