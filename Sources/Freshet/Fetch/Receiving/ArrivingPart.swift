import FreshetEssentials

/// A part that is arriving, with its declared digests and its overlap with the stored bytes.
final class ArrivingPart {
  private let digests: DigestFields
  private let hashers: [ChecksumHasher.Algorithm: ChecksumHasher]
  private var overlap: Int

  init(_ head: ResponseHead, overlap: Int64) {
    digests = DigestFields(part: head)
    let algorithms = Set(digests.expectations.map(\.algorithm))
    hashers = Dictionary(uniqueKeysWithValues: algorithms.map { ($0, ChecksumHasher($0)) })
    self.overlap = Int(overlap)
  }

  /// Consumes a chunk, and returns its new bytes.
  func take(_ chunk: Data) -> Data {
    for hasher in hashers.values { hasher.update(chunk) }
    let known = min(overlap, chunk.count)
    overlap -= known
    return known == 0 ? chunk : Data(chunk.dropFirst(known))
  }

  /// Returns a declared digest that the part does not match; must be called once, after the last chunk.
  func mismatch() -> (expected: Data, actual: Data)? {
    let found = hashers.mapValues { $0.finish() }
    return digests.mismatch { found[$0] }
  }
}
