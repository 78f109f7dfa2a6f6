import FreshetEssentials

extension ResourceBody {
  /// Computes the SHA-256 of the whole body, reading a file in pieces.
  ///
  /// - Returns: The digest.
  /// - Throws: ``FreshetError/file(_:path:)`` if reading fails.
  public func sha256() throws(FreshetError) -> SHA256Checksum {
    if case .bytes(let data) = storage { return SHA256Hasher.digest(of: data) }
    let hasher = SHA256Hasher()
    try each { hasher.update($0) }
    return hasher.finish()
  }

  /// Returns the first digest that a response declares for the body and that is not the body's.
  ///
  /// The body is read for SHA-512 only.
  func mismatch(
    with fields: DigestFields,
    sha256: SHA256Checksum
  ) throws(FreshetError) -> (expected: Data, actual: Data)? {
    try fields.mismatch { algorithm throws(FreshetError) in
      if algorithm == .sha256 { return sha256.bytes }
      let hasher = ChecksumHasher(algorithm)
      try each { hasher.update($0) }
      return hasher.finish()
    }
  }

  private func each(_ body: (Data) -> Void) throws(FreshetError) {
    var reader = BodyReader(self, count: 256 << 10)
    while let chunk = try reader.next() { body(chunk) }
  }
}
