public import Foundation

/// The 32 bytes of a SHA-256 (FIPS 180-4).
public struct SHA256Digest: Sendable, Hashable {
  /// The digest's bytes.
  public let bytes: Data

  /// Makes a digest of 32 bytes; `nil` for any other count.
  public init?(bytes: Data) {
    guard bytes.count == 32 else { return nil }
    self.bytes = bytes
  }
}
