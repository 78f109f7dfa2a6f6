/// Which names say that their value is a secret: of header fields, parameters, form fields and
/// members of JSON, in descriptions, errors, logs, recordings and commands.
///
/// It is the only list, and a name is read in two ways. Its letters, without regard to case and
/// separators, hold one of the long words: `access_token`, `X-ApiKey`, `user[password]`. Or one of its
/// words, between separators and at changes of case, is one of the short ones: `X-Auth-Key`,
/// `userPwd`. It rather hides too much.
enum SecretWords {
  private static let long = [
    "token", "password", "passwd", "passphrase", "secret", "authorization", "cookie", "credential",
    "signature", "bearer", "apikey", "privatekey", "accesskey", "sessionid", "sessionkey",
    "codeverifier", "samlresponse",
  ]
  .map { Array($0.utf8) }

  private static let short = [
    "assertion", "auth", "csrf", "cvc", "cvv", "hmac", "jwt", "otp", "pass", "pwd", "session",
    "sid",
    "sig", "xsrf",
  ]
  .map { Array($0.utf8) }

  /// Whether the name says so.
  static func contains(_ name: some StringProtocol) -> Bool {
    contains(words(of: name))
  }

  /// Whether the name of a header field says so, or that it holds a key of somebody's: its last word is
  /// `key`, as in `Ocp-Apim-Subscription-Key`, and it is none of those that are known to be something
  /// else.
  static func containsField(_ name: some StringProtocol) -> Bool {
    let words = words(of: name)
    return contains(words) || nameKey(words)
  }

  private static func contains(_ words: [[UInt8]]) -> Bool {
    // A mark between two letters, which may not be seen, does not divide a word.
    let letters = words.joined().filter { $0 < 0x80 }
    return long.contains { contains($0, in: letters) } || words.contains(where: short.contains)
  }

  private static func nameKey(_ words: [[UInt8]]) -> Bool {
    guard words.count > 1, words.last == Array("key".utf8) else { return false }
    return !shownKeys.contains(words[words.count - 2])
  }

  /// What stands before the last word of `Idempotency-Key`, `Sec-WebSocket-Key` and the like.
  private static let shownKeys = [
    "idempotency", "socket", "websocket", "surrogate", "cache", "partition", "routing", "public",
  ]
  .map { Array($0.utf8) }

  /// By bytes: a combining mark behind a word does not make another word of it.
  private static func contains(_ word: [UInt8], in letters: [UInt8]) -> Bool {
    guard letters.count >= word.count else { return false }
    return (0...(letters.count - word.count)).contains { letters[$0...].starts(with: word) }
  }

  /// Whether the value is how many there are, such as `17` for `prompt_tokens`: digits under the
  /// plural of a name that says so, which `pass` is not.
  static func isCount(_ value: some StringProtocol, of name: some StringProtocol) -> Bool {
    (name.hasSuffix("s") || name.hasSuffix("S"))
      && !value.isEmpty && value.utf8.allSatisfy(ASCII.isDigit)
      && contains(name.dropLast())
  }

  /// The name in lower case, in parts: `X-AuthKey2` is x, auth, key2; `userJWTPart` is user, jwt,
  /// part.
  private static func words(of name: some StringProtocol) -> [[UInt8]] {
    var words: [[UInt8]] = []
    var word: [UInt8] = []
    let bytes = Array(name.utf8)
    for (index, byte) in bytes.enumerated() {
      let isSeparator = !ASCII.isLetter(byte) && !ASCII.isDigit(byte) && byte < 0x80
      if isSeparator || beginsWord(at: index, in: bytes), !word.isEmpty {
        words.append(word)
        word = []
      }
      if !isSeparator { word.append(ASCII.lowercased(byte)) }
    }
    return word.isEmpty ? words : words + [word]
  }

  /// Whether a word begins with a capital: after a small letter, or before one.
  private static func beginsWord(at index: Int, in bytes: [UInt8]) -> Bool {
    guard isCapital(bytes[index]), index > 0 else { return false }
    let isBeforeSmall = index + 1 < bytes.count && isSmall(bytes[index + 1])
    return !isCapital(bytes[index - 1]) || isBeforeSmall
  }

  private static func isCapital(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
  }

  private static func isSmall(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
  }
}
