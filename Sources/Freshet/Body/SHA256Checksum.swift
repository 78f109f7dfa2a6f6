public import FreshetEssentials

/// The 32 bytes of a SHA-256 (FIPS 180-4).
public struct SHA256Checksum: Sendable, Hashable {
  // The bytes in their order in memory, four words that are copied and compared without a buffer.
  private let first, second, third, fourth: UInt64

  /// The digest's bytes.
  public var bytes: Data { withUnsafeBytes(of: (first, second, third, fourth)) { Data($0) } }

  /// Makes a digest of 32 bytes; `nil` for any other count.
  public init?(bytes: Data) {
    guard bytes.count == 32 else { return nil }
    self.init(words: bytes.withUnsafeBytes { $0.loadUnaligned(as: Words.self) })
  }

  /// Makes a digest from the hasher's output, whose type has the right length.
  init(words: Words) {
    (first, second, third, fourth) = words
  }

  typealias Words = (UInt64, UInt64, UInt64, UInt64)
}

extension SHA256Checksum {
  /// Makes a digest from 64 hexadecimal digits in either case; `nil` for any other text.
  public init?(hex: String) {
    let digits = hex.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
    guard digits.count == 64, hex.utf8.count == 64 else { return nil }
    self.init(
      bytes: Data(
        stride(from: 0, to: 64, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
      )
    )
  }

  /// Makes a digest from its 44 characters in base64; `nil` for any other text.
  public init?(base64: String) {
    guard let bytes = Data(base64Encoded: base64) else { return nil }
    self.init(bytes: bytes)
  }

  /// Computes the digest of bytes in memory, such as the challenge of a code verifier (RFC 7636).
  ///
  /// - Parameter data: The bytes; none have a digest as well.
  public init(of data: Data) {
    self = SHA256Hasher.digest(of: data)
  }

  /// Computes the digest of a file, in pieces: a large file needs no more memory than a small one.
  ///
  /// The call blocks its thread while it reads. An empty file has a digest as well.
  ///
  /// ```swift
  /// let isComplete = try SHA256Checksum(contentsOf: file) == digest
  /// ```
  ///
  /// - Parameter file: The URL of a regular file, or of a link to one.
  /// - Throws: ``FreshetError/file(_:path:)`` if it does not exist, cannot be read or is no regular file.
  public init(contentsOf file: URL) throws(FreshetError) {
    let hasher = SHA256Hasher()
    try FileFailure.reporting(at: file.path) { () throws(FileFailure) in
      try OpenFile.regular(file.path).file.readPieces { hasher.update($0) }
    }
    self = hasher.finish()
  }

  /// The digest as 64 hexadecimal digits in lower case.
  public var hex: String { Hexadecimal.text(bytes) }
}

extension SHA256Checksum: CustomStringConvertible {
  /// The digest as ``hex``.
  public var description: String { hex }
}
