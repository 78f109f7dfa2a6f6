import FreshetEssentials

/// Reads a body once from its first byte to its last, and verifies it on the way if that is pending.
struct BodyReader {
  private let body: ResourceBody
  private let count: Int
  private var offset: Int64 = 0
  private var isOver = false
  private let verifier: Verifier?

  init(_ body: ResourceBody, count: Int) {
    self.body = body
    self.count = count
    if case .file(let file) = body.storage, let verification = file.verification,
      verification.isPending
    {
      verifier = Verifier(verification)
    } else {
      verifier = nil
    }
  }

  mutating func next() throws(FreshetError) -> Data? {
    guard !isOver else { return nil }
    guard offset < body.length else {
      isOver = true
      try verifier?.finish(at: offset, of: body)
      return nil
    }
    // A failure ends the reading: the position of the next call would be unknown.
    isOver = true
    let chunk = try read(Int(min(Int64(count), body.length - offset)))
    isOver = false
    verifier?.update(chunk, at: offset)
    offset += Int64(chunk.count)
    return chunk
  }

  private func read(_ count: Int) throws(FreshetError) -> Data {
    switch body.storage {
    case .file(let file):
      return try file.read(at: offset, count: count)
    case .part(let file, let range):
      return try file.read(at: range.lowerBound + offset, count: count)
    case .bytes(let data) where count == data.count:
      return data
    case .bytes(let data):
      let start = data.startIndex + Int(offset)
      return data.subdata(in: start..<start + count)
    }
  }
}

extension BodyReader {
  /// Hashes the bytes of one reader.
  ///
  /// Copies of the reader share it, so it stops if two of them read alternately.
  private final class Verifier {
    let verification: BodyVerification
    let hasher = SHA256Hasher()
    var hashed: Int64 = 0

    init(_ verification: BodyVerification) {
      self.verification = verification
    }

    func update(_ chunk: Data, at offset: Int64) {
      guard offset == hashed else { return }
      hasher.update(chunk)
      hashed += Int64(chunk.count)
    }

    func finish(at offset: Int64, of body: ResourceBody) throws(FreshetError) {
      guard hashed == offset, let url = body.fileURL else { return }
      hashed = -1
      try verification.check(hasher.finish(), at: url)
    }
  }
}
