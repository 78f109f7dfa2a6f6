import FreshetEssentials

/// The name of a file that a response suggests: a single name that stays in its directory, whatever the
/// server says.
///
/// It is the last component of the `filename*` or `filename` of `Content-Disposition` (RFC 6266 section
/// 4.3), or else of the URL; without control characters, marks of direction and dots at its
/// beginning, in at most 200 bytes.
package struct SuggestedName {
  let text: String

  /// Makes the name for a response.
  init(_ head: ResponseHead) {
    let candidates = Self.candidates(in: head.headers) + [head.url.path(percentEncoded: false)]
    text = candidates.lazy.compactMap(Self.plain).first ?? "download"
  }

  /// Returns the names in `Content-Disposition`, the best first, as the server says them: they may be any text.
  package static func candidates(in headers: HTTPHeaders) -> [String] {
    let parameters = parameters(of: headers["Content-Disposition"] ?? "")
    return [parameters["filename*"].flatMap(extended), parameters["filename"]].compactMap(\.self)
  }

  /// Returns a name with a number before its extension, for a name that is taken; the name itself for 1.
  static func numbered(_ name: String, _ number: Int) -> String {
    guard number > 1 else { return name }
    let (stem, suffix) = parts(of: name)
    return "\(stem) (\(number))\(suffix)"
  }

  /// The name as it may be used; `nil` if nothing is left.
  static func plain(_ name: String) -> String? {
    // By scalars: a slash and a joiner are one character, which is no slash until the joiner is gone.
    let scalars = name.unicodeScalars
      .filter { scalar in
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: false
        default: true
        }
      }
    let component = scalars.split(omittingEmptySubsequences: false) { $0 == "/" || $0 == "\\" }.last
    guard let visible = component?.drop(while: { $0 == "." || $0.properties.isWhitespace }) else {
      return nil
    }
    guard let end = visible.lastIndex(where: { !$0.properties.isWhitespace }) else { return nil }
    return shortened(String(String.UnicodeScalarView(visible[...end])))
  }

  private static func shortened(_ name: String) -> String {
    guard name.utf8.count > 200 else { return name }
    let (stem, suffix) = parts(of: name)
    return prefix(of: stem, 200 - suffix.utf8.count) + suffix
  }

  /// Returns the beginning of a text, in at most so many bytes.
  package static func prefix(of text: some StringProtocol, _ byteCount: Int) -> String {
    // By scalars: one character can be longer than a name.
    var prefix = String.UnicodeScalarView()
    var room = byteCount
    for scalar in text.unicodeScalars {
      room -= scalar.utf8.count
      if room < 0 { break }
      prefix.append(scalar)
    }
    return String(prefix)
  }

  /// A name and its extension, which is short or none.
  private static func parts(of name: String) -> (stem: Substring, suffix: Substring) {
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex, name[dot...].utf8.count <= 20
    else { return (name[...], "") }
    return (name[..<dot], name[dot...])
  }

  /// The first value of each parameter, by its lowercase name.
  private static func parameters(of field: String) -> [String: String] {
    var parameters: [String: String] = [:]
    for case (let name, let value?) in FieldList.parts(of: field).map(FieldList.parameter) {
      // A quoted text without an end is read to the end of the field.
      let text = FieldList.unquoted(value) ?? String(value.drop { $0 == "\"" })
      parameters[name] = parameters[name] ?? text
    }
    return parameters
  }

  /// An extended value (RFC 8187 section 3.2): a charset, a language and percent-encoded bytes.
  private static func extended(_ value: String) -> String? {
    let parts = value.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3 else { return nil }
    return ASCII.equalIgnoringCase(parts[0], "utf-8") ? PercentEncoding.text(of: parts[2]) : nil
  }
}
