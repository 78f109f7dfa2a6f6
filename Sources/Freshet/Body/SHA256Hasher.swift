package import FreshetEssentials

#if canImport(CryptoKit)
import CryptoKit
#else
import CCrypto
#endif

/// Computes a SHA-256 from bytes that arrive in pieces.
///
/// It holds libcrypto's context on Linux and CryptoKit's hasher on Apple platforms, and is used by
/// one task at a time.
package final class SHA256Hasher {
  #if canImport(CryptoKit)
  private var hasher = SHA256()
  #else
  private let context: OpaquePointer
  #endif

  init() {
    #if !canImport(CryptoKit)
    // It is `nil` only when no memory is left, where Swift's own allocations end the process too.
    guard let context = EVP_MD_CTX_new(), EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1 else {
      preconditionFailure("libcrypto has no memory for a SHA-256.")
    }
    self.context = context
    #endif
  }

  #if !canImport(CryptoKit)
  deinit {
    EVP_MD_CTX_free(context)
  }
  #endif

  func update(_ bytes: UnsafeRawBufferPointer) {
    #if canImport(CryptoKit)
    hasher.update(bufferPointer: bytes)
    #else
    EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
    #endif
  }

  func update(_ data: Data) {
    data.withUnsafeBytes { update($0) }
  }

  /// Returns the digest of all bytes so far; the hasher cannot be used afterwards.
  func finish() -> SHA256Checksum {
    var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    #if canImport(CryptoKit)
    let digest = hasher.finalize()
    withUnsafeMutableBytes(of: &words) { words in
      digest.withUnsafeBytes { words.copyMemory(from: $0) }
    }
    #else
    withUnsafeMutableBytes(of: &words) { bytes in
      _ = EVP_DigestFinal_ex(
        context,
        bytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
        nil
      )
    }
    #endif
    return SHA256Checksum(words: words)
  }

  /// Returns the digest of all bytes so far; the hasher can still be used.
  func snapshot() -> SHA256Checksum {
    let copy = SHA256Hasher()
    #if canImport(CryptoKit)
    copy.hasher = hasher
    #else
    EVP_MD_CTX_copy_ex(copy.context, context)
    #endif
    return copy.finish()
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
