import FreshetEssentials

/// The digests of a partial body, computed by reading it again before it is resumed.
final class PartialHashes {
  private(set) var sha256 = SHA256Hasher()
  /// The hasher for the response's own digests, if they need SHA-512.
  private(set) var sha512: ChecksumHasher?
  private let needsSHA512: Bool

  init(_ head: ResponseHead) {
    needsSHA512 = DigestFields(whole: head).needsSHA512
  }

  /// Reads a file up to the last checkpoint whose digest it matches.
  ///
  /// - Returns: The length up to there, which the hashers have processed.
  func read(
    _ file: OpenFile,
    _ checkpoints: [PartialRecord.Checkpoint]
  ) async throws(FileFailure) -> Int64 {
    let size = Int64(try file.status().st_size)
    let wanted = checkpoints.filter { $0.length <= size }.sorted { $0.length < $1.length }
    var right: Int64 = 0
    for checkpoint in wanted {
      try await take(file, right..<checkpoint.length)
      guard sha256.snapshot() == checkpoint.digest else { break }
      right = checkpoint.length
    }
    if right != wanted.last?.length, right > 0 {
      // The hasher has passed the last valid checkpoint: the valid part is read again, once.
      sha256 = SHA256Hasher()
      try await take(file, 0..<right)
    }
    if needsSHA512 {
      let hasher = ChecksumHasher(.sha512)
      try await PartialHashes.each(file, 0..<right) { hasher.update($0) }
      sha512 = hasher
    }
    return right
  }

  private func take(_ file: OpenFile, _ range: Range<Int64>) async throws(FileFailure) {
    try await PartialHashes.each(file, range) { sha256.update($0) }
  }

  /// Reads in pieces, between which other tasks run.
  private static func each(
    _ file: OpenFile,
    _ range: Range<Int64>,
    _ body: (Data) -> Void
  ) async throws(FileFailure) {
    var offset = range.lowerBound
    while offset < range.upperBound {
      // After a cancellation the body is left unchanged, for the next attempt.
      guard !Task.isCancelled else { throw FileFailure("read", ECANCELED, nil) }
      let piece = try file.read(at: offset, count: Int(min(range.upperBound - offset, 1 << 20)))
      if piece.isEmpty { throw FileFailure("read", EIO, nil) }
      body(piece)
      offset += Int64(piece.count)
      await Task.yield()
    }
  }
}
