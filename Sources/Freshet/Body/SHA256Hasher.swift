package import FreshetEssentials

#if !canImport(CryptoKit)
import CCrypto
#endif

/// Computes a SHA-256 from bytes that arrive in pieces; it is used by one task at a time.
package final class SHA256Hasher {
  private let hasher: ChecksumHasher

  init() {
    hasher = ChecksumHasher(.sha256)
  }

  func update(_ data: Data) {
    hasher.update(data)
  }

  /// Returns the digest of all bytes so far; the hasher cannot be used afterwards.
  func finish() -> SHA256Checksum { Self.checksum(hasher) }

  /// Returns the digest of all bytes so far; the hasher can still be used.
  func snapshot() -> SHA256Checksum { Self.checksum(ChecksumHasher(copying: hasher)) }

  private static func checksum(_ hasher: ChecksumHasher) -> SHA256Checksum {
    guard let checksum = SHA256Checksum(bytes: hasher.finish()) else {
      preconditionFailure("libcrypto has no SHA-256.")
    }
    return checksum
  }

  package static func digest(of data: Data) -> SHA256Checksum {
    #if !canImport(CryptoKit)
    // One call needs no context, which costs more than hashing a small body.
    var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    data.withUnsafeBytes { input in
      withUnsafeMutableBytes(of: &words) { output in
        _ = SHA256(
          input.baseAddress?.assumingMemoryBound(to: UInt8.self),
          input.count,
          output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        )
      }
    }
    return SHA256Checksum(words: words)
    #else
    let hasher = SHA256Hasher()
    hasher.update(data)
    return hasher.finish()
    #endif
  }
}
