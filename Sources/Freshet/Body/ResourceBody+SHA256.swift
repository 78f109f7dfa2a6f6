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
}
