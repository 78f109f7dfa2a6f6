import FreshetEssentials

extension ResourceBody {
  /// Computes the SHA-256 of the whole body, reading a file in pieces.
  ///
  /// - Returns: The digest.
  /// - Throws: ``FreshetError/file(_:path:)`` if reading fails.
  public func sha256() throws(FreshetError) -> SHA256Checksum {
    if case .bytes(let data) = storage { return SHA256Hasher.digest(of: data) }
    let hasher = SHA256Hasher()
    var reader = BodyReader(self, count: 256 << 10)
    while let chunk = try reader.next() {
      hasher.update(chunk)
    }
    return hasher.finish()
  }

  /// Returns the first digest that a response declares for the body and that is not the body's.
  ///
  /// The body is read for SHA-512 only.
  func mismatch(
    with fields: DigestFields,
    sha256: SHA256Checksum
  ) throws(FreshetError) -> (expected: Data, actual: Data)? {
    guard fields.needsSHA512 else { return fields.mismatch(sha256: sha256.bytes, sha512: nil) }
    let hasher = ChecksumHasher(.sha512)
    var reader = BodyReader(self, count: 256 << 10)
    while let chunk = try reader.next() {
      hasher.update(chunk)
    }
    return fields.mismatch(sha256: sha256.bytes, sha512: hasher.finish())
  }
}
