/// Parses field values that are lists (RFC 9110 section 5.6.1).
package enum FieldList {
  /// Returns the trimmed members between commas outside of quoted strings, without empty ones.
  ///
  /// A quotation mark that is never closed is an ordinary character, so that it cannot hide members.
  package static func members(of value: String) -> [Substring] {
    var members: [Substring] = []
    split(value.utf8, at: ASCII.comma) { member in
      if !member.isEmpty { members.append(Substring(member)) }
    }
    return members
  }

  /// Returns the trimmed parts between semicolons outside of quoted strings: at least one.
  static func parts(of text: some StringProtocol) -> [Substring] {
    var parts: [Substring] = []
    split(Substring(text).utf8, at: UInt8(ascii: ";")) { parts.append(Substring($0)) }
    return parts
  }

  /// Returns the name of a parameter in lower case, and the text after its `=`, if any, trimmed.
  static func parameter(_ text: Substring) -> (name: String, value: Substring?) {
    let equals = text.utf8.firstIndex(of: UInt8(ascii: "="))
    let name = ASCII.lowercased(ASCII.trimmed(text[..<(equals ?? text.endIndex)]))
    return (name, equals.map { ASCII.trimmed(text[text.utf8.index(after: $0)...]) })
  }

  /// Calls `body` with each trimmed part between separators outside of quoted strings.
  static func split<Bytes: BidirectionalCollection<UInt8>>(
    _ bytes: Bytes,
    at separator: UInt8,
    _ body: (Bytes.SubSequence) -> Void
  ) {
    var rest = bytes[...]
    var quotes = Quotes()
    while let end = Self.separator(separator, in: rest, &quotes) {
      body(ASCII.trimmed(rest[..<end]))
      rest = rest[rest.index(after: end)...]
    }
    body(ASCII.trimmed(rest))
  }

  /// The state of the quotation marks in a text that is parsed in several steps.
  struct Quotes {
    /// A Boolean value that indicates whether a quotation mark without an end was found.
    ///
    /// All later ones are unclosed as well: each is escaped, also if parsing began at one of them. They
    /// need not be searched again, which would take quadratic time.
    fileprivate var areOpen = false
  }

  /// Returns the position of the first separator outside of quoted strings, or `nil`.
  ///
  /// - Parameters:
  ///   - separator: The separator.
  ///   - bytes: The bytes to search: the rest after the previous separator.
  ///   - quotes: The state of the earlier searches.
  /// - Returns: The position.
  static func separator<Bytes: Collection<UInt8>>(
    _ separator: UInt8,
    in bytes: Bytes,
    _ quotes: inout Quotes
  ) -> Bytes.Index? {
    var index = bytes.startIndex
    while index < bytes.endIndex {
      let byte = bytes[index]
      if byte == separator { return index }
      if byte == ASCII.quote, !quotes.areOpen {
        if let end = endOfQuotedString(in: bytes, from: index) {
          index = end
          continue
        }
        quotes.areOpen = true
      }
      bytes.formIndex(after: &index)
    }
    return nil
  }

  /// Returns the position after the quotation mark that closes the one at `start`, or `nil`.
  private static func endOfQuotedString<Bytes: Collection<UInt8>>(
    in bytes: Bytes,
    from start: Bytes.Index
  ) -> Bytes.Index? {
    var index = bytes.index(after: start)
    while index < bytes.endIndex {
      let byte = bytes[index]
      bytes.formIndex(after: &index)
      if byte == ASCII.quote { return index }
      if byte == ASCII.backslash, index < bytes.endIndex { bytes.formIndex(after: &index) }
    }
    return nil
  }

  /// Returns the content of a quoted string (RFC 9110 section 5.6.4); `nil` if the text is not one.
  static func unquoted(_ text: Substring) -> String? {
    let bytes = text.utf8
    guard bytes.count >= 2, bytes.first == ASCII.quote,
      endOfQuotedString(in: bytes, from: bytes.startIndex) == bytes.endIndex
    else { return nil }
    let content = bytes.dropFirst().dropLast()
    guard content.contains(ASCII.backslash) else { return String(content) }
    var plain: [UInt8] = []
    var isEscaped = false
    for byte in content {
      isEscaped = byte == ASCII.backslash && !isEscaped
      if !isEscaped { plain.append(byte) }
    }
    return String(decoding: plain, as: UTF8.self)
  }

  /// Returns the text if it is a token, otherwise as a quoted string.
  static func quotedIfNeeded(_ text: String) -> String {
    ASCII.isToken(text) ? text : quoted(text)
  }

  static func quoted(_ text: String) -> String {
    var quoted = "\""
    for character in text.unicodeScalars {
      if character == "\"" || character == "\\" { quoted += "\\" }
      quoted.unicodeScalars.append(character)
    }
    return quoted + "\""
  }
}

extension HTTPHeaders {
  /// Returns the members of a field that is a list, such as `Vary`, of all its lines, in order.
  ///
  /// Commas within quoted strings do not separate. White space around members and empty members are
  /// left out (RFC 9110 section 5.6.1). Do not use it for fields whose values contain commas, such as
  /// `Date` and `Set-Cookie`.
  public func members(of name: Name) -> [String] {
    self[values: name].flatMap(FieldList.members).map { String($0) }
  }
}
