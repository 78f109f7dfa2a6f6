import FreshetEssentials

/// Finds the secrets in one value: a JSON string, a parameter, a form field, or the value of a header field.
///
/// It parses JSON, URLs and lists of parameters, plain or encoded, and nested in each other. In running
/// text, everything after the name of a secret is hidden.
struct ValueRedaction: Sendable {
  let names: SecretRules.Names
  /// The names of secret URL parameters.
  let parameters: SecretRules.Names
  /// The values that are hidden whatever their names are.
  var secrets = SecretValues()
  /// The number of enclosing values.
  private(set) var depth = 0
  /// The depth from which on values are hidden without being read.
  private(set) var depthLimit = 8

  /// The rules for the contents of this value.
  private var inside: ValueRedaction {
    var inside = self
    inside.depth += 1
    return inside
  }

  /// The rules for a value of so many bytes and what it contains.
  ///
  /// Each level reads a value once for each view of it, so the time is a power of the depth: a long value
  /// gets fewer levels.
  func limited(to count: Int) -> ValueRedaction {
    var limited = self
    let limit = count <= 4 << 10 ? 8 : count <= 64 << 10 ? 5 : 3
    limited.depthLimit = min(depthLimit, limit)
    return limited
  }

  /// Returns the value without its secrets; `nil` if all of it may be shown.
  func redacted(_ value: String) -> String? {
    let shown = redactedByName(value)
    return secrets.hidden(in: shown ?? value) ?? shown
  }

  private func redactedByName(_ value: String) -> String? {
    guard names.hidesSomething, !value.isEmpty else { return nil }
    let bytes = Array(value.utf8)
    guard bytes.contains(where: Self.isMark) || Self.maybeToken(bytes) else { return nil }
    let rules = limited(to: bytes.count)
    guard depth < rules.depthLimit else { return Redaction.placeholder }
    return rules.shown(value, bytes)
  }

  private func shown(_ value: String, _ bytes: [UInt8]) -> String? {
    if let found = json(bytes) { return found.shown }
    if Self.isURL(bytes) {
      let url = inside.redacted(url: value)
      let shown = Self.isReference(bytes[...]) ? list(url) : pairsOrText(url) ?? url
      return shown == value ? encoded(value) : shown
    }
    // A URL before it is a part of running text, not of the name of a parameter.
    if let equals = bytes.firstIndex(of: UInt8(ascii: "=")), Self.colon(bytes[..<equals]) == nil,
      let shown = inside.pairs(value[...], names)
    {
      return shown
    }
    return encoded(value) ?? text(bytes)
  }

  /// Returns a URL without the secrets in URLs behind the commas before its parameters, and without anything
  /// from the name of a secret on, as in running text.
  private func list(_ url: String) -> String {
    var end = url.utf8.firstIndex(where: Self.isParameterMark) ?? url.endIndex
    var rest = String(url[end...])
    guard url[..<end].utf8.contains(ASCII.comma) else { return url }
    let bytes = Array(url[..<end].utf8)
    if let secret = firstSecret(in: bytes) {
      // In another URL, it may be in the password, to which what is before it belongs.
      let comma = bytes[..<secret].indices
        .last { bytes[$0] == ASCII.comma && Self.isReference(bytes[($0 + 1)..<secret]) }
      end = url.utf8.index(url.startIndex, offsetBy: comma.map { $0 + 1 } ?? secret)
      rest = Redaction.placeholder
    }
    let pieces = url[..<end].utf8.split(separator: ASCII.comma, omittingEmptySubsequences: false)
      .map { String(Substring($0)) }
    let shown = pieces.prefix(1) + pieces.dropFirst().map { inside.redacted($0) ?? $0 }
    return shown.joined(separator: ",") + rest
  }

  /// Returns where the first value begins whose name is that of a secret.
  private func firstSecret(in bytes: [UInt8]) -> Int? {
    SecretMask.ranges(in: bytes) { [names] in names.contain($0) }.first?.lowerBound
  }

  /// Returns a value that may be a URL, or parameters or text with an `@`, a `?` or a `#` in it, as the latter;
  /// `nil` if all of it may be shown.
  private func pairsOrText(_ value: String) -> String? {
    let head = value.utf8.prefix { !Self.isParameterMark($0) }
    if head.contains(UInt8(ascii: "=")), let shown = inside.pairs(value[...], names) {
      return shown
    }
    return text(Array(head))
      .map { $0.hasSuffix(Redaction.placeholder) ? $0 : $0 + Redaction.placeholder }
  }

  /// Returns whether a byte can indicate structure, or a secret in running text.
  private static func isMark(_ byte: UInt8) -> Bool {
    " \t\r\n=:?&;%{[<>\\\"'@#".utf8.contains(byte) || byte < 0x20
  }

  /// Returns whether a word is long enough for a token, or for encoded text.
  private static func maybeToken(_ bytes: [UInt8]) -> Bool { bytes.count >= 12 }

  // MARK: Structure

  private func json(_ bytes: [UInt8]) -> (shown: String?, Void)? {
    let first = bytes.first { !ASCII.isSpace($0) && $0 != 0x0A && $0 != 0x0D }
    guard let first, "{[\"".utf8.contains(first) else { return nil }
    let json = JSONRedaction(bytes, rules: inside)
    guard json.isWhole else { return nil }
    return (json.replacements.isEmpty ? nil : json.text, ())
  }

  /// Returns whether the value is a single URL or reference that can contain parameters.
  private static func isURL(_ bytes: [UInt8]) -> Bool {
    guard !bytes.contains(where: { $0 <= 0x20 || "\"<>{}\\".utf8.contains($0) }) else {
      return false
    }
    if isReference(bytes[...]) { return true }
    if bytes.contains(ASCII.comma) { return false }
    if bytes.contains(UInt8(ascii: "@")), bytes.contains(UInt8(ascii: ":")) { return true }
    let mark = bytes.firstIndex(where: isParameterMark) ?? colon(bytes[...])
    return mark.map { !bytes[..<$0].contains(UInt8(ascii: "=")) } == true
      || colon(bytes[...]).map { !bytes[..<$0].contains(UInt8(ascii: "=")) } == true
  }

  private static func isParameterMark(_ byte: UInt8) -> Bool { "?#".utf8.contains(byte) }

  /// Returns whether the bytes begin as a URL or the path of one does, so that they are no parameters.
  private static func isReference(_ bytes: ArraySlice<UInt8>) -> Bool {
    if bytes.first == UInt8(ascii: "/") { return true }
    guard let colon = colon(bytes) else { return false }
    return colon > bytes.startIndex
      && bytes[..<colon]
        .allSatisfy {
          ASCII.isLetter($0) || ASCII.isDigit($0) || "+-.".utf8.contains($0)
        }
  }

  private static func colon(_ bytes: ArraySlice<UInt8>) -> Int? {
    bytes.firstRange(of: "://".utf8)?.lowerBound
  }

  // MARK: Encoded

  /// Redacts what encodings may hide: percent and base64 encodings, entities, and escapes.
  private func encoded(_ value: String) -> String? {
    let plain = PercentEncoding.url.decode(value[...])
    if plain != value, let shown = inside.redacted(plain) {
      return PercentEncoding.url.encode(shown)
    }
    for view in [Self.withoutEntities(value), Self.withoutEscapes(value), Self.fromBase64(value)] {
      // These are rare and need another pass over the value, so they count as two levels.
      if let view, view != value, inside.inside.redacted(view) != nil {
        return Redaction.placeholder
      }
    }
    return nil
  }

  private static func withoutEntities(_ value: String) -> String? {
    guard value.utf8.contains(UInt8(ascii: "&")), value.utf8.contains(UInt8(ascii: ";")) else {
      return nil
    }
    var (plain, rest) = ("", value[...])
    while let start = rest.utf8.firstIndex(of: UInt8(ascii: "&")) {
      plain += rest[..<start]
      rest = rest[start...]
      guard let end = rest.utf8.prefix(10).firstIndex(of: UInt8(ascii: ";")),
        let character = character(rest[rest.utf8.index(after: start)..<end])
      else {
        plain += "&"
        rest = rest[rest.utf8.index(after: start)...]
        continue
      }
      plain.unicodeScalars.append(character)
      rest = rest[rest.utf8.index(after: end)...]
    }
    return plain + rest
  }

  private static func character(_ entity: Substring) -> Unicode.Scalar? {
    let named: [String: Unicode.Scalar] = [
      "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "equals": "=", "colon": ":",
    ]
    let name = ASCII.lowercased(entity)
    guard name.hasPrefix("#") else { return named[name] }
    let digits = name.dropFirst()
    let number = digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
    return number.flatMap(Unicode.Scalar.init)
  }

  private static func withoutEscapes(_ value: String) -> String? {
    guard value.utf8.contains(ASCII.backslash) else { return nil }
    var (plain, rest) = ("", value[...])
    while let start = rest.utf8.firstIndex(of: ASCII.backslash) {
      plain += rest[..<start]
      rest = rest[start...].dropFirst()
      let digits = rest.utf8.first.map {
        $0 == UInt8(ascii: "u") ? 4 : $0 == UInt8(ascii: "x") ? 2 : 0
      }
      guard let digits, digits > 0, let number = UInt32(rest.dropFirst().prefix(digits), radix: 16),
        let scalar = Unicode.Scalar(number)
      else { continue }
      plain.unicodeScalars.append(scalar)
      rest = rest.dropFirst(digits + 1)
    }
    return plain + rest
  }

  private static func fromBase64(_ value: String) -> String? {
    let bytes = value.utf8
    guard bytes.count >= 12,
      bytes.allSatisfy({ ASCII.isLetter($0) || ASCII.isDigit($0) || "+/-_=".utf8.contains($0) })
    else { return nil }
    var plain = value.replacing("-", with: "+").replacing("_", with: "/").filter { $0 != "=" }
    plain += String(repeating: "=", count: (4 - plain.utf8.count % 4) % 4)
    guard let data = Data(base64Encoded: plain), let text = String(validating: data, as: UTF8.self)
    else { return nil }
    return text.utf8.allSatisfy { $0 >= 0x20 || [0x09, 0x0A, 0x0D].contains($0) } ? text : nil
  }

  // MARK: Text

  /// Hides everything after the first name of a secret, or after the secret in the first URL with one.
  private func text(_ bytes: [UInt8]) -> String? {
    let secret = firstSecret(in: bytes)
    if Self.isMarkup(bytes), namesSecret(bytes) { return Redaction.placeholder }
    if bytes.firstRange(of: "PRIVATE KEY-----".utf8) != nil { return Redaction.placeholder }
    for word in Self.words(bytes) where word.count < bytes.count {
      if let secret, word.upperBound > secret, word.lowerBound >= secret { break }
      let part = String(decoding: bytes[word], as: UTF8.self)
      let isURL = Self.isURL(Array(bytes[word]))
      guard let shown = isURL ? inside.redacted(part) : inside.encoded(part) else { continue }
      let before = String(decoding: bytes[..<word.lowerBound], as: UTF8.self)
      return before + shown + (word.upperBound < bytes.count ? " " + Redaction.placeholder : "")
    }
    guard let secret else { return nil }
    return String(decoding: bytes[..<secret], as: UTF8.self) + Redaction.placeholder
  }

  private static func isMarkup(_ bytes: [UInt8]) -> Bool {
    guard let open = bytes.firstIndex(of: UInt8(ascii: "<")) else { return false }
    return bytes[open...].contains(UInt8(ascii: ">"))
  }

  private func namesSecret(_ bytes: [UInt8]) -> Bool {
    bytes.split { !ASCII.isLetter($0) && !ASCII.isDigit($0) && !"-_".utf8.contains($0) }
      .contains { names.contain(String(decoding: $0, as: UTF8.self)) }
  }

  private static func words(_ bytes: [UInt8]) -> [Range<Int>] {
    var words: [Range<Int>] = []
    var start = 0
    var isReference: Bool?
    for end in 0...bytes.count
    where end == bytes.count || bytes[end] <= 0x20 || "\"'<>(),{}[]\\".utf8.contains(bytes[end]) {
      // A URL may contain commas.
      if end < bytes.count, bytes[end] == ASCII.comma {
        isReference = isReference ?? Self.isReference(bytes[start..<end])
        if isReference == true { continue }
      }
      if start < end { words.append(start..<end) }
      (start, isReference) = (end + 1, nil)
    }
    return words
  }
}
