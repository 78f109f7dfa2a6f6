import FreshetEssentials

/// A property list that is text.
enum XMLPropertyList {
  private static let markup = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")]
  private static let containers = ["array", "dict", "plist"]

  /// Returns a list in UTF-8, with the mark by which the decoder knows that it is.
  ///
  /// - Throws: A reason if it is not text, or is nested too deeply.
  static func checked(_ data: Data) throws -> Data {
    let text = try TextEncoding.text(data, charset: charset(of: data))
    let bytes = [0xEF, 0xBB, 0xBF] + Array(text.utf8)
    try checkDepth(of: bytes)
    return Data(bytes)
  }

  /// The character set that an XML declaration names.
  private static func charset(of data: Data) -> String? {
    guard data.starts(with: "<?xml".utf8) else { return nil }
    let declaration = data.prefix(256).prefix { $0 != UInt8(ascii: ">") }
    let parts = String(decoding: declaration, as: UTF8.self)
      .split(omittingEmptySubsequences: false) { "\"'".contains($0) }
    guard let attribute = parts.firstIndex(where: { $0.hasSuffix("encoding=") }),
      attribute + 1 < parts.count
    else { return nil }
    return String(parts[attribute + 1])
  }

  /// Counts the elements that are open.
  ///
  /// It takes for a comment, an instruction, a section or a tag what the decoder takes for one, up to
  /// the first error that the decoder finds.
  private static func checkDepth(of text: [UInt8]) throws {
    var depth = 0
    var rest = text[...]
    while let start = rest.firstIndex(of: UInt8(ascii: "<")) {
      rest = rest[start...]
      // The decoder ends this one here, or later if nothing is before it.
      if rest.starts(with: "<?>".utf8) { throw DecodingFailure.Reason("“<?>” is no instruction") }
      let (opening, closing) = markup.first { rest.starts(with: $0.0.utf8) } ?? ("<", ">")
      guard let end = end(closing, in: rest.dropFirst(opening.utf8.count)) else { return }
      let tag = rest[start..<end]
      if isContainer(tag.dropFirst()) {
        if !tag.dropLast().ends(with: "/") { depth += 1 }
      } else if tag.starts(with: "</".utf8), isContainer(tag.dropFirst(2)) {
        depth -= 1
      }
      // `<plist>`, which is around all, is no level of the list.
      guard depth <= PropertyList.depthLimit + 1 else { throw PropertyList.tooDeep }
      rest = rest[end...]
    }
  }

  private static func end(_ mark: String, in text: ArraySlice<UInt8>) -> Int? {
    var rest = text
    while let last = rest.firstIndex(of: UInt8(ascii: ">")) {
      if text[...last].ends(with: mark) { return last + 1 }
      rest = rest[(last + 1)...]
    }
    return nil
  }

  /// The decoder looks no further than the name is long.
  private static func isContainer(_ tag: ArraySlice<UInt8>) -> Bool {
    containers.contains { tag.starts(with: $0.utf8) }
  }
}

extension ArraySlice<UInt8> {
  fileprivate func ends(with text: String) -> Bool {
    suffix(text.utf8.count).elementsEqual(text.utf8)
  }
}
