import FreshetEssentials

/// The beginning of a body that a transfer has left, up to the last checkpoint whose digest it matches.
struct PartialBody {
  let record: PartialRecord
  let head: ResponseHead
  let length: Int64
  /// The hasher that has processed these bytes.
  let sha256: SHA256Hasher
  /// The hasher for the response's own digests, if they need SHA-512.
  let sha512: ChecksumHasher?

  /// Reads a file.
  ///
  /// - Parameters:
  ///   - file: The bytes that have arrived.
  ///   - lines: The record and its checkpoints.
  ///   - key: The key of the request.
  ///   - headers: Its header fields, with those that the transport would add.
  /// - Returns: The body; `nil` if nothing of it is usable for the request.
  /// - Throws: The failure of the system, or that of a cancelled task.
  static func read(
    _ file: OpenFile,
    _ lines: Data,
    _ key: CacheKey,
    for headers: HTTPHeaders
  ) async throws(FileFailure) -> PartialBody? {
    guard let (record, checkpoints) = PartialRecord.read(lines), record.key == key.text,
      record.varyingFields.match(headers), let head = record.head
    else { return nil }
    let size = Int64(try file.status().st_size)
    let wanted = checkpoints.filter { $0.length <= size }.sorted { $0.length < $1.length }
    var sha256 = SHA256Hasher()
    var right: Int64 = 0
    for checkpoint in wanted {
      try await each(file, right..<checkpoint.length) { sha256.update($0) }
      guard sha256.snapshot() == checkpoint.digest else { break }
      right = checkpoint.length
    }
    guard right > 0 else { return nil }
    if right != wanted.last?.length {
      // The hasher has passed the last valid checkpoint: the valid part is read again, once.
      sha256 = SHA256Hasher()
      try await each(file, 0..<right) { sha256.update($0) }
    }
    let sha512 = DigestFields(whole: head).needsSHA512 ? ChecksumHasher(.sha512) : nil
    if let sha512 { try await each(file, 0..<right) { sha512.update($0) } }
    return PartialBody(record: record, head: head, length: right, sha256: sha256, sha512: sha512)
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
