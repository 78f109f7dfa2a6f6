public import FreshetEssentials

/// One response that an app ships.
public struct Seed: Sendable, Hashable {
  /// The URL that it answers.
  public let url: URL
  /// The name of its body's file.
  public let file: String
  /// The length of its body in bytes.
  public let length: Int64
  /// The SHA-256 of its body.
  public let digest: SHA256Checksum
}

extension Seed {
  init?(_ entry: SeedManifest.Entry) {
    guard let url = URL(unicode: entry.url), let digest = SHA256Checksum(hex: entry.sha256) else {
      return nil
    }
    self.init(url: url, file: entry.file, length: entry.length, digest: digest)
  }
}
