/// The bodies that an inspector shows.
///
/// Only JSON, forms and multipart bodies of these are shown as text, without their secrets (`SecretRules`), and
/// PNG, JPEG, GIF and WebP as pictures; of all others the length.
public enum InspectedBodies: Sendable, Hashable {
  /// None; the default.
  case hidden
  /// Bodies up to this length in bytes, and at most 16 MiB in total: the oldest are dropped first.
  case shown(upTo: Int)

  /// The largest body that is kept, in bytes.
  var limit: Int {
    if case .shown(let limit) = self { min(max(0, limit), Self.totalLimit) } else { 0 }
  }

  /// The number of bytes that are kept of all bodies together.
  static let totalLimit = 16 << 20
}
