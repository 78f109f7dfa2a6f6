import FreshetEssentials

/// The digests that a response declares for its body: `Content-Digest` and `Repr-Digest` (RFC 9530).
///
/// Both are dictionaries of structured fields (RFC 9651). A field with any syntax error is ignored
/// completely, as are all algorithms but `sha-256` and `sha-512`.
struct DigestFields: Sendable, Hashable {
  struct Expectation: Sendable, Hashable {
    let algorithm: ChecksumHasher.Algorithm
    let digest: Data
  }

  private(set) var expectations: [Expectation] = []

  /// Creates an empty value.
  init() {}

  /// Reads the digests of the content of a response to a request; a part has only its own.
  ///
  /// A response without content has those of the representation (appendix B.2). After an unsafe request,
  /// `Repr-Digest` may be that of what was changed (section 3.1), unless `Content-Location` says what the
  /// body is.
  init(content head: borrowing ResponseHead, of request: borrowing Request) {
    if request.method == .head || head.status.endsWithHead {
      self.init()
    } else if head.status == .partialContent {
      self.init(part: head)
    } else {
      self.init(whole: head, afterUnsafe: request.isUnsafe)
    }
  }

  /// Reads the digests of a whole body.
  ///
  /// Both fields refer to the bytes with their content coding, which the transport has decoded: there
  /// is nothing to compare with if the response has one.
  init(whole head: borrowing ResponseHead) {
    self.init(whole: head, afterUnsafe: false)
  }

  private init(whole head: borrowing ResponseHead, afterUnsafe isUnsafe: Bool) {
    guard !head.headers.hasContentCoding else { return }
    if !isUnsafe || head.headers.contains(.contentLocation) { add(head.headers, .reprDigest) }
    // RFC 9530 section 2: the content is the whole representation, unless it is a part.
    if head.status != .partialContent { add(head.headers, .contentDigest) }
  }

  /// Reads the digest of the part that a 206 carries.
  init(part head: borrowing ResponseHead) {
    guard head.status == .partialContent, !head.headers.hasContentCoding else { return }
    add(head.headers, .contentDigest)
  }

  var needsSHA256: Bool { expectations.contains { $0.algorithm == .sha256 } }
  var needsSHA512: Bool { expectations.contains { $0.algorithm == .sha512 } }

  /// Returns the first expectation that a body does not meet.
  ///
  /// - Parameter digest: A closure that returns a digest of the body; `nil` if it is not compared.
  /// - Returns: The expectation; `nil` if the body meets all.
  /// - Throws: What the closure throws.
  func mismatch<Failure: Error>(
    _ digest: (ChecksumHasher.Algorithm) throws(Failure) -> Data?
  ) throws(Failure) -> (expected: Data, actual: Data)? {
    for expectation in expectations {
      let actual = try digest(expectation.algorithm)
      if let actual, actual != expectation.digest { return (expectation.digest, actual) }
    }
    return nil
  }

  /// Returns the first expectation that a body does not meet, which is hashed off the caller's actor.
  @concurrent
  func mismatch(in body: Data) async -> (expected: Data, actual: Data)? {
    mismatch { ChecksumHasher.digest($0, of: body) }
  }

  /// Adds the expectations of another response with the same body.
  mutating func merge(_ other: DigestFields) {
    for expectation in other.expectations { insert(expectation) }
  }
}

extension DigestFields {
  private mutating func add(_ headers: HTTPHeaders, _ name: HTTPHeaders.Name) {
    guard let text = headers.combined(name) else { return }
    for (key, digest) in StructuredParser.byteSequences(text) ?? [:] {
      switch (key, digest.count) {
      case ("sha-256", 32): insert(Expectation(algorithm: .sha256, digest: digest))
      case ("sha-512", 64): insert(Expectation(algorithm: .sha512, digest: digest))
      default: continue
      }
    }
  }

  /// Adds an expectation, once although both fields may have it.
  private mutating func insert(_ expectation: Expectation) {
    if !expectations.contains(expectation) { expectations.append(expectation) }
  }
}

extension FreshetError {
  /// The error for content whose digest is another one than the server has sent.
  static func corrupted(_ mismatch: (expected: Data, actual: Data), at url: URL) -> FreshetError {
    .corrupted(
      expected: Hexadecimal.text(mismatch.expected),
      actual: Hexadecimal.text(mismatch.actual),
      url: Redaction.shown(url)
    )
  }
}
