import FreshetEssentials

/// A part that is arriving, with its declared digests and its overlap with the stored bytes.
final class ArrivingPart {
  private let digests: DigestFields
  private let sha256: ChecksumHasher?
  private let sha512: ChecksumHasher?
  private var overlap: Int

  init(_ head: ResponseHead, overlap: Int64) {
    digests = DigestFields(part: head)
    let algorithms = digests.expectations.map(\.algorithm)
    sha256 = algorithms.contains(.sha256) ? ChecksumHasher(.sha256) : nil
    sha512 = algorithms.contains(.sha512) ? ChecksumHasher(.sha512) : nil
    self.overlap = Int(overlap)
  }

  /// Consumes a chunk, and returns its new bytes.
  func take(_ chunk: Data) -> Data {
    sha256?.update(chunk)
    sha512?.update(chunk)
    let known = min(overlap, chunk.count)
    overlap -= known
    return known == 0 ? chunk : Data(chunk.dropFirst(known))
  }

  /// Returns a declared digest that the part does not match; must be called once, after the last chunk.
  func mismatch() -> (expected: Data, actual: Data)? {
    guard !digests.expectations.isEmpty else { return nil }
    return digests.mismatch(sha256: sha256?.finish() ?? Data(), sha512: sha512?.finish())
  }
}
