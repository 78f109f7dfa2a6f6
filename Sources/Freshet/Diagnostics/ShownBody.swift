import FreshetEssentials

/// A body in the form in which recordings and commands may show it.
enum ShownBody {
  /// Text without secrets.
  case text(String)
  /// Bytes that are not text, which the rules show.
  case bytes(Data)
  case withheld(WithheldBody)
}

/// A body that is not shown, because it could not be parsed.
struct WithheldBody: CustomStringConvertible {
  let length: Int
  let digest: SHA256Checksum

  init(_ body: Data) {
    length = body.count
    digest = SHA256Hasher.digest(of: body)
  }

  /// The length and the digest, such as `<5 bytes, SHA-256 2cf2…>`.
  var description: String { "<\(length) bytes, SHA-256 \(digest.hex)>" }
}
