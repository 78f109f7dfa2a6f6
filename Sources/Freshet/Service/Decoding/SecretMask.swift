/// Finds secrets: the values of keys such as token and password, in JSON, forms, XML and headers,
/// and bearer tokens in running text.
///
/// It does not parse a grammar, so that it also works on malformed text, and hides too much rather
/// than too little.
struct SecretMask {
  private let bytes: [UInt8]
  private let isSecret: (Substring) -> Bool
  private var index = 0
  private var found: [Range<Int>] = []
  /// The next `>` and the end of the white space after it, see ``skipTag()``.
  private var close = -1
  private var behindClose = -1

  private static let tagLimit = 16

  /// Returns the values to hide, in order, as positions.
  ///
  /// - Parameters:
  ///   - bytes: The text.
  ///   - isSecret: A closure that decides whether a key names a secret; ``SecretWords`` by default.
  /// - Returns: The positions.
  static func ranges(
    in bytes: [UInt8],
    isSecret: @escaping (Substring) -> Bool = { SecretWords.contains($0) }
  ) -> [Range<Int>] {
    var mask = SecretMask(bytes: bytes, isSecret: isSecret)
    mask.scan()
    return mask.found
  }

  /// Returns the text with those values replaced.
  static func masked(_ text: String, isSecret: @escaping (Substring) -> Bool) -> String {
    let bytes = Array(text.utf8)
    var masked: [UInt8] = []
    var position = 0
    for secret in ranges(in: bytes, isSecret: isSecret) {
      masked += bytes[position..<secret.lowerBound] + Redaction.placeholder.utf8
      position = secret.upperBound
    }
    return String(decoding: masked + bytes[position...], as: UTF8.self)
  }

  private init(bytes: [UInt8], isSecret: @escaping (Substring) -> Bool) {
    self.bytes = bytes
    self.isSecret = isSecret
  }

  private mutating func scan() {
    while index < bytes.count {
      let start = index
      skip(Self.isWord)
      guard index > start else {
        index += 1
        continue
      }
      let end = index
      // Few words have a value after them, and that is cheaper to check.
      if skipSeparator(), isSecret(word(start..<end)) {
        maskValue()
        continue
      }
      index = end
      maskToken(behind: start..<end)
    }
  }

  private func word(_ range: Range<Int>) -> Substring {
    Substring(decoding: bytes[range], as: UTF8.self)
  }

  /// Hides the text after `Bearer` or `Basic`, and JSON web tokens anywhere.
  private mutating func maskToken(behind range: Range<Int>) {
    if bytes[range].starts(with: "eyJ".utf8), range.count >= 16 {
      skip(Self.isToken)
      found.append(range.lowerBound..<index)
      return
    }
    guard range.count == 5 || range.count == 6,
      ["bearer", "basic"].contains(ASCII.lowercased(word(range)))
    else { return }
    skip { $0 == 0x20 }
    let start = index
    skip(Self.isToken)
    let token = bytes[start..<index]
    // A token has a digit or is long; “basic authentication” is a word.
    guard token.count >= 20 || token.count >= 6 && token.contains(where: ASCII.isDigit) else {
      index = start
      return
    }
    found.append(start..<index)
  }

  /// Moves from the key to its value, over `":`, `=`, `>` or tags.
  private mutating func skipSeparator() -> Bool {
    // The end of a name such as `user[password]`, plain or encoded.
    if bytes[index...].starts(with: "%5D".utf8) || bytes[index...].starts(with: "%5d".utf8) {
      index += 3
    }
    skip { "]\"'\\ \t\r\n".utf8.contains($0) }
    let start = index
    if index < bytes.count, bytes[index] == UInt8(ascii: "<") {
      var tags = 0
      // Without a limit, every word before many tags would read all of them.
      while index < bytes.count, bytes[index] == UInt8(ascii: "<"), tags < Self.tagLimit {
        tags += 1
        skipTag()
      }
    } else {
      skip { ":=>".utf8.contains($0) }
    }
    guard index > start else { return false }
    skip(Self.isSpace)
    return true
  }

  /// Moves over the next `>` and the white space after it, or to the end.
  ///
  /// Both ends are cached, so that many words before one `>` do not search for them again.
  private mutating func skipTag() {
    if close < index {
      close = bytes[index...].firstIndex(of: UInt8(ascii: ">")) ?? bytes.count
      index = min(close + 1, bytes.count)
      skip(Self.isSpace)
      behindClose = index
    }
    index = behindClose
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

  private static func isToken(_ byte: UInt8) -> Bool {
    isWord(byte) || ".~+/=".utf8.contains(byte)
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0D).contains(byte)
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte == UInt8(ascii: "_")
      || byte == UInt8(ascii: "-")
  }
}
