/// A digest that a body must have.
public enum Checksum: Sendable, Hashable {
  /// A SHA-256.
  case sha256(SHA256Checksum)

  /// Returns the SHA-256 with these hexadecimal digits, such as those of a manifest.
  ///
  /// ```swift
  /// let entry = BatchEntry(url, expecting: try .sha256(hex: manifest.digest))
  /// ```
  ///
  /// - Parameter digits: 64 digits in either case.
  /// - Returns: The digest.
  /// - Throws: ``FreshetError/invalidRequest(_:url:)`` for any other text: what must be verified is not fetched
  ///   unverified.
  public static func sha256(hex digits: String) throws(FreshetError) -> Checksum {
    guard let digest = SHA256Checksum(hex: digits) else {
      throw .invalidRequest("the expected SHA-256 is not 64 hexadecimal digits", url: "")
    }
    return .sha256(digest)
  }
}
