/// Finds the values of keys that say token, password and the like, in JSON, forms, XML and headers.
///
/// It reads text and not a grammar, so that it also works on what is broken, and rather hides too
/// much.
struct SecretMask {
  private let bytes: [UInt8]
  private var index = 0
  private var found: [Range<Int>] = []

  private static let words = [
    "token", "password", "passwd", "passphrase", "pwd", "secret", "authorization", "cookie",
    "apikey", "credential", "session", "signature", "privatekey", "accesskey", "bearer", "jwt",
  ]

  /// Whether the key names a secret, whatever its case and its separators.
  static func isSecret(_ key: some StringProtocol) -> Bool {
    let letters = String(decoding: key.utf8.filter { !"-_".utf8.contains($0) }, as: UTF8.self)
    let key = ASCII.lowercased(letters)
    return words.contains { key.contains($0) }
  }

  /// The values to hide, in order, as positions.
  static func ranges(in bytes: [UInt8]) -> [Range<Int>] {
    var mask = SecretMask(bytes: bytes)
    mask.scan()
    return mask.found
  }

  private init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  private mutating func scan() {
    while index < bytes.count {
      let start = index
      while index < bytes.count, Self.isWord(bytes[index]) { index += 1 }
      guard index > start else {
        index += 1
        continue
      }
      let word = String(decoding: bytes[start..<index], as: UTF8.self)
      guard Self.isSecret(word) else { continue }
      let end = index
      guard skipSeparator() else {
        index = end
        continue
      }
      maskValue()
    }
  }

  /// Moves from the key to its value: `":`, `=`, `>` or tags in between.
  private mutating func skipSeparator() -> Bool {
    skip { "\"'\\ \t\r\n".utf8.contains($0) }
    let start = index
    if index < bytes.count, bytes[index] == UInt8(ascii: "<") {
      while index < bytes.count, bytes[index] == UInt8(ascii: "<") {
        skip { $0 != UInt8(ascii: ">") }
        index = min(index + 1, bytes.count)
        skip(Self.isSpace)
      }
    } else {
      skip { ":=>".utf8.contains($0) }
    }
    guard index > start else { return false }
    skip(Self.isSpace)
    return true
  }

  private mutating func maskValue() {
    let start = index
    let isEscaped = index < bytes.count && bytes[index] == ASCII.backslash
    skip { $0 == ASCII.backslash }
    switch index < bytes.count ? bytes[index] : 0 {
    case ASCII.quote, UInt8(ascii: "'"):
      skipString(isEscaped: isEscaped)
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      skipNested()
    default:
      skip { !",;&}]<\"\r\n".utf8.contains($0) }
    }
    if index > start { found.append(start..<index) }
  }

  private mutating func skipString(isEscaped: Bool) {
    let quote = bytes[index]
    index += 1
    while index < bytes.count, bytes[index] != quote {
      index += !isEscaped && bytes[index] == ASCII.backslash ? 2 : 1
    }
    index = min(index + 1, bytes.count)
  }

  private mutating func skipNested() {
    var depth = 0
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      case ASCII.quote:
        skipString(isEscaped: false)
        continue
      default: break
      }
      index += 1
      if depth == 0 { return }
    }
  }

  private mutating func skip(_ isSkipped: (UInt8) -> Bool) {
    while index < bytes.count, isSkipped(bytes[index]) { index += 1 }
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0D).contains(byte)
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"), UInt8(ascii: "-"):
      true
    default: false
    }
  }
}
