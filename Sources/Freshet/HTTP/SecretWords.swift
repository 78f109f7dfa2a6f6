/// Recognises the names of secrets: of header fields, parameters, form fields and JSON members, in
/// descriptions, errors, logs, recordings and commands.
///
/// This is the only list. A name is a secret's if its letters, without regard to case and separators,
/// contain one of the long words: `access_token`, `X-ApiKey`, `user[password]`. It also is if one of
/// its words, split at separators and changes of case, is one of the short ones: `X-Auth-Key`,
/// `userPwd`. When in doubt, the value is hidden.
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

  /// The letters of names of page cursors, which contain a long word and are not secrets.
  private static let cursors = Set(
    [
      "pagetoken", "nextpagetoken", "prevpagetoken", "previouspagetoken", "paginationtoken",
      "continuationtoken", "nextcontinuationtoken", "nexttoken", "cursortoken",
    ]
    .map { Array($0.utf8) }
  )

  /// Returns whether a name is that of a secret.
  static func contains(_ name: some StringProtocol) -> Bool {
    let words = words(of: name)
    return contains(words) && !cursors.contains(Array(words.joined()))
  }

  /// Returns whether the name of a header field is that of a secret or of a key.
  ///
  /// It is that of a key if its last word is `key`, as in `Ocp-Apim-Subscription-Key`, except for names
  /// that are known to have another meaning.
  static func containsField(_ name: some StringProtocol) -> Bool {
    let words = words(of: name)
    return contains(words) || nameKey(words)
  }

  private static func contains(_ words: [[UInt8]]) -> Bool {
    // An invisible mark between two letters does not split a word.
    let letters = words.joined().filter { $0 < 0x80 }
    return long.contains { contains($0, in: letters) } || words.contains(where: short.contains)
  }

  private static func nameKey(_ words: [[UInt8]]) -> Bool {
    guard words.count > 1, words.last == Array("key".utf8) else { return false }
    return !shownKeys.contains(words[words.count - 2])
  }

  /// The words before `key` in `Idempotency-Key`, `Sec-WebSocket-Key` and similar names.
  private static let shownKeys = [
    "idempotency", "socket", "websocket", "surrogate", "cache", "partition", "routing", "public",
  ]
  .map { Array($0.utf8) }

  /// Compares bytes: a combining mark after a word does not make it another word.
  private static func contains(_ word: [UInt8], in letters: [UInt8]) -> Bool {
    guard letters.count >= word.count else { return false }
    return (0...(letters.count - word.count)).contains { letters[$0...].starts(with: word) }
  }

  /// Returns whether a value is a count, such as `17` for `prompt_tokens`.
  ///
  /// That is a number whose name is the plural of a secret's name; `pass` is not a plural.
  static func isCount(_ value: some StringProtocol, of name: some StringProtocol) -> Bool {
    (name.hasSuffix("s") || name.hasSuffix("S"))
      && !value.isEmpty && value.utf8.allSatisfy(ASCII.isDigit)
      && contains(words(of: name.dropLast()))
  }

  /// Returns the words of a name in lower case: `X-AuthKey2` is x, auth, key2; `userJWTPart` is user,
  /// jwt, part.
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

  /// Returns whether a word begins at a capital letter: not after another capital, or before a small letter.
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
