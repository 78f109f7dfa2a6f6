import Foundation

/// A body as recordings and commands may show it.
enum ShownBody {
  /// Text, without what must not be seen.
  case text(String)
  /// Bytes that are not text, which were asked for.
  case bytes(Data)
  case withheld(WithheldBody)
}

/// A body that is not shown, because it was not understood.
struct WithheldBody: CustomStringConvertible {
  let length: Int
  let digest: SHA256Digest

  init(_ body: Data) {
    length = body.count
    digest = SHA256Hasher.digest(of: body)
  }

  /// Its length and digest, such as `<5 bytes, SHA-256 2cf2…>`.
  var description: String { "<\(length) bytes, SHA-256 \(digest.hex)>" }
}
