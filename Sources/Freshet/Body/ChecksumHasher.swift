import FreshetEssentials

#if canImport(CryptoKit)
import CryptoKit
#else
import CCrypto
#endif

/// Computes a digest from bytes that arrive in pieces.
///
/// It holds libcrypto's context on Linux and CryptoKit's hasher on Apple platforms, and is used by
/// one task at a time.
final class ChecksumHasher {
  enum Algorithm: Sendable, Hashable {
    case sha256
    case sha512
    /// For names that were made with it; it is not used for security.
    case md5
    /// For the handshake of a WebSocket; it is not used for security.
    case sha1
    #if !canImport(CryptoKit)
    /// SHA-512/256, which CryptoKit does not have.
    case sha512Truncated
    #endif
  }

  #if canImport(CryptoKit)
  private var hasher: any HashFunction
  #else
  private let context: OpaquePointer
  #endif

  init(_ algorithm: Algorithm) {
    #if canImport(CryptoKit)
    hasher =
      switch algorithm {
      case .sha256: SHA256()
      case .sha512: SHA512()
      case .md5: Insecure.MD5()
      case .sha1: Insecure.SHA1()
      }
    #else
    let kind =
      switch algorithm {
      case .sha256: EVP_sha256()
      case .sha512: EVP_sha512()
      case .md5: EVP_md5()
      case .sha1: EVP_sha1()
      case .sha512Truncated: EVP_sha512_256()
      }
    context = Self.newContext()
    // Where MD5 is disabled, the digest is empty, which matches nothing.
    EVP_DigestInit_ex(context, kind, nil)
    #endif
  }

  /// Creates a hasher that has processed the same bytes as another one.
  init(copying other: ChecksumHasher) {
    #if canImport(CryptoKit)
    hasher = other.hasher
    #else
    context = Self.newContext()
    EVP_MD_CTX_copy_ex(context, other.context)
    #endif
  }

  #if !canImport(CryptoKit)
  deinit {
    EVP_MD_CTX_free(context)
  }

  private static func newContext() -> OpaquePointer {
    // It is `nil` only when no memory is left, where Swift's own allocations end the process too.
    guard let context = EVP_MD_CTX_new() else {
      preconditionFailure("libcrypto has no memory for a digest.")
    }
    return context
  }
  #endif

  func update(_ data: Data) {
    data.withUnsafeBytes { bytes in
      #if canImport(CryptoKit)
      hasher.update(bufferPointer: bytes)
      #else
      _ = EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
      #endif
    }
  }

  /// Returns the digest of all bytes so far; the hasher cannot be used afterwards.
  func finish() -> Data {
    #if canImport(CryptoKit)
    return Data(hasher.finalize())
    #else
    var digest = Data(count: 64)
    var count: UInt32 = 0
    digest.withUnsafeMutableBytes { bytes in
      _ = EVP_DigestFinal_ex(
        context,
        bytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
        &count
      )
    }
    return digest.prefix(Int(count))
    #endif
  }

  static func digest(_ algorithm: Algorithm, of data: Data) -> Data {
    let hasher = ChecksumHasher(algorithm)
    hasher.update(data)
    return hasher.finish()
  }
}
