import FreshetEssentials

/// A challenge of Digest authentication that can be answered (RFC 7616 section 3.3).
struct DigestChallenge: Sendable, Hashable {
  /// The part of the message that the answer proves.
  enum Protection: String {
    /// The method and the target.
    case request = "auth"
    /// The method, the target and the body.
    case body = "auth-int"
  }

  let realm: String
  var nonce: String
  let opaque: String?
  let algorithm: ChecksumHasher.Algorithm
  /// The algorithm as the server wrote it; `nil` if it named none.
  let writtenAlgorithm: String?
  /// A Boolean value that indicates whether the key is made once for a nonce, `-sess`.
  let isSession: Bool
  /// The quality of protection; `nil` for a server that offers none (RFC 2069).
  let protection: Protection?
  let hashesUser: Bool
  /// A Boolean value that indicates whether the server names UTF-8, as those of RFC 7616 do.
  let isUTF8: Bool
  /// A Boolean value that indicates whether only the nonce was wrong.
  let isStale: Bool

  /// Reads a challenge; `nil` if it is of another scheme, or asks for something unknown.
  init?(_ challenge: Challenge) {
    guard challenge.scheme == "digest", let realm = challenge.realm,
      let nonce = challenge.parameters["nonce"]
    else { return nil }
    let written = challenge.parameters["algorithm"]
    var name = ASCII.lowercased(written ?? "md5")
    isSession = name.hasSuffix("-sess")
    if isSession { name.removeLast(5) }
    guard let algorithm = Self.algorithms[name] else { return nil }
    if let offered = challenge.parameters["qop"] {
      let names = FieldList.members(of: offered).map { ASCII.lowercased($0) }
      guard let best = [Protection.request, .body].first(where: { names.contains($0.rawValue) })
      else { return nil }
      protection = best
    } else {
      // The key of a session needs the client's nonce, which is sent with a protection only.
      guard !isSession else { return nil }
      protection = nil
    }
    self.realm = realm
    self.nonce = nonce
    self.algorithm = algorithm
    writtenAlgorithm = written
    opaque = challenge.parameters["opaque"]
    hashesUser = Self.isTrue(challenge.parameters["userhash"])
    isUTF8 = ASCII.equalIgnoringCase(challenge.parameters["charset"] ?? "", "UTF-8")
    isStale = Self.isTrue(challenge.parameters["stale"])
  }

  #if canImport(CryptoKit)
  private static let algorithms: [String: ChecksumHasher.Algorithm] = [
    "md5": .md5, "sha-256": .sha256,
  ]
  #else
  private static let algorithms: [String: ChecksumHasher.Algorithm] = [
    "md5": .md5, "sha-256": .sha256, "sha-512-256": .sha512Truncated,
  ]
  #endif

  private static func isTrue(_ value: String?) -> Bool {
    ASCII.equalIgnoringCase(value ?? "", "true")
  }

  /// The digest of texts joined by colons, in hexadecimal.
  func hash(_ parts: String...) -> String {
    Hexadecimal.text(
      ChecksumHasher.digest(algorithm, of: Data(parts.joined(separator: ":").utf8))
    )
  }
}
