#if Redis && !canImport(Darwin)
import CHiredis
import Freshet

/// A change or a lookup that the server executes as a whole, in Lua.
struct RedisScript: Sendable {
  let source: String
  /// The name under which the server knows it, the SHA-1 of its source.
  let name: String

  init(_ source: String) {
    self.source = source
    var digest = [UInt8](repeating: 0, count: Int(SHA_DIGEST_LENGTH))
    SHA1(Array(source.utf8), source.utf8.count, &digest)
    name = Hexadecimal.text(digest)
  }
}
#endif
