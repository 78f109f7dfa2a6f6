extension ValueRedaction {
  /// Returns the URL with its secrets replaced.
  ///
  /// These are user and password, and the values of secret parameters of path, query and fragment; all
  /// else is unchanged.
  func redacted(url: String) -> String {
    let shown = limited(to: url.utf8.count).shown(url: url)
    return secrets.hidden(in: shown, by: "redacted") ?? shown
  }

  private func shown(url: String) -> String {
    let url = Self.redacted(userInfoOf: url)
    // Bytes, not characters: a combining mark after a “?” must not hide it.
    let bytes = url.utf8
    let mark = bytes.firstIndex { "?#".utf8.contains($0) } ?? bytes.endIndex
    let head = redacted(path: url[..<mark])
    guard mark < bytes.endIndex else { return head }
    let start = bytes.index(after: mark)
    guard bytes[mark] == UInt8(ascii: "?"),
      let hash = bytes[start...].firstIndex(of: UInt8(ascii: "#"))
    else { return head + url[mark..<start] + shownPairs(url[start...]) }
    let fragment = bytes.index(after: hash)
    return head + "?" + shownPairs(url[start..<hash]) + "#" + shownPairs(url[fragment...])
  }

  private func shownPairs(_ text: Substring) -> String {
    pairs(text, parameters) ?? String(text)
  }

  /// Returns a list of parameters, as in a query or a form, without secrets; `nil` if all of it may be shown.
  ///
  /// If a `;` separates parameters, nothing is shown from the first secret up to the next `&`.
  func pairs(_ text: Substring, _ names: SecretRules.Names) -> String? {
    var isChanged = false
    var isBehindSecret = false
    let shown = text.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
      .map { piece -> String in
        let piece = Substring(piece)
        // An entity in the value before, such as `&amp;`, and the text after it.
        if isBehindSecret, Self.endsEntity(piece) { return "redacted" }
        isBehindSecret = false
        guard let shown = piece.isEmpty ? nil : self.piece(piece, names) else {
          return String(piece)
        }
        (isChanged, isBehindSecret) = (true, true)
        return shown
      }
    return isChanged ? shown.joined(separator: "&") : nil
  }

  private static func endsEntity(_ piece: Substring) -> Bool {
    guard let end = piece.utf8.prefix(9).firstIndex(of: UInt8(ascii: ";")) else { return false }
    return piece.utf8[..<end]
      .allSatisfy { ASCII.isLetter($0) || ASCII.isDigit($0) || $0 == UInt8(ascii: "#") }
  }

  private func piece(_ piece: Substring, _ names: SecretRules.Names) -> String? {
    let parts = piece.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
    var shown: [String] = []
    var isChanged = false
    for part in parts.map(Substring.init) {
      guard let equals = part.utf8.firstIndex(of: UInt8(ascii: "=")) else {
        let plain = nested(part)
        isChanged = isChanged || plain != nil
        shown.append(plain ?? String(part))
        continue
      }
      let name = part[..<equals]
      let value = part[part.utf8.index(after: equals)...]
      if names.hideEncoded(value, of: name) {
        return (shown + [name + "=redacted"]).joined(separator: ";")
      }
      let (plainName, plainValue) = (nested(name), nested(value))
      isChanged = isChanged || plainName != nil || plainValue != nil
      shown.append("\(plainName ?? String(name))=\(plainValue ?? String(value))")
    }
    return isChanged ? shown.joined(separator: ";") : nil
  }

  /// Returns a name or a value without the secrets in it, in the same encoding; `nil` if all of it may
  /// be shown.
  private func nested(_ text: Substring) -> String? {
    let plain = PercentEncoding.form.decode(text)
    guard let shown = redacted(plain) else { return nil }
    if shown == Redaction.placeholder { return "redacted" }
    let isEncoded = plain != text || shown.utf8.contains { $0 <= 0x20 || "&;".utf8.contains($0) }
    return isEncoded ? PercentEncoding.url.encode(shown) : shown
  }

  /// Redacts the parameters of path segments, and encoded text in segments.
  private func redacted(path: Substring) -> String {
    guard path.utf8.contains(where: { $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: "%") }) else {
      return String(path)
    }
    return path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .map { segment -> String in
        let segment = Substring(segment)
        let end = segment.utf8.firstIndex(of: UInt8(ascii: ";")) ?? segment.endIndex
        let name = segment[..<end]
        let isEncoded = name.utf8.contains(UInt8(ascii: "%"))
        let shown = isEncoded ? nested(name) ?? String(name) : String(name)
        guard end < segment.endIndex else { return shown }
        return shown + ";" + shownPairs(segment[end...].dropFirst())
      }
      .joined(separator: "/")
  }

  /// Returns whether what looks like an authority is the beginning of a user and a password: a colon that no port
  /// follows, or one right before the parameters.
  private static func hasPassword(_ authority: ArraySlice<UInt8>, before mark: UInt8?) -> Bool {
    authority.split(separator: UInt8(ascii: ","))
      .contains { host in
        let start = host.lastIndex(of: UInt8(ascii: "]")) ?? host.startIndex
        guard let colon = host[start...].firstIndex(of: UInt8(ascii: ":")) else { return false }
        return mark.map { "?#".utf8.contains($0) } == true
          || !host[colon...].dropFirst().allSatisfy(ASCII.isDigit)
      }
  }

  /// Replaces the part before the `@` of an authority, in any notation that may be taken for one:
  /// `https://a:b@c`, `jdbc:x://a:b@c`, `//a:b@c`, `https:\\a:b@c` and `https:a:b@c`.
  private static func redacted(userInfoOf url: String) -> String {
    let bytes = Array(url.utf8)
    let end = bytes.firstIndex { "?#".utf8.contains($0) } ?? bytes.count
    let isSlash = { (index: Int) in
      bytes[index] == UInt8(ascii: "/") || bytes[index] == ASCII.backslash
    }
    let slashes = bytes[..<end].indices.dropLast().first { isSlash($0) && isSlash($0 + 1) }
    guard bytes.contains(UInt8(ascii: "@")),
      var start = slashes ?? bytes[..<end].firstIndex(of: UInt8(ascii: ":"))
    else { return url }
    start += 1
    while start < end, slashes != nil, isSlash(start) { start += 1 }
    let authority = bytes[start..<end].prefix { $0 != UInt8(ascii: "/") && $0 != ASCII.backslash }
    var user = authority.lastIndex(of: UInt8(ascii: "@"))
    let mark = authority.endIndex < bytes.count ? bytes[authority.endIndex] : nil
    let isScheme = slashes.map { $0 == 0 || bytes[$0 - 1] == UInt8(ascii: ":") } == true
    if user == nil, isScheme, hasPassword(authority, before: mark) {
      // The password contains what would end the authority, in a text that is no valid URL.
      user = bytes.lastIndex(of: UInt8(ascii: "@"))
    }
    guard let user, user > start,
      slashes != nil || bytes[start..<user].contains(UInt8(ascii: ":"))
    else { return url }
    return String(decoding: bytes[..<start] + "redacted".utf8 + bytes[user...], as: UTF8.self)
  }
}

extension SecretRules.Names {
  /// Returns whether a value with a name that may be encoded, several times, is hidden.
  func hideEncoded(_ value: Substring, of name: Substring) -> Bool {
    var name = String(name)
    for _ in 0..<4 {
      if hide(value, of: name) { return true }
      let plain = PercentEncoding.form.decode(name[...])
      if plain == name { return false }
      name = plain
    }
    // A name with that many encodings is suspicious.
    return true
  }
}
