/// The directives of `Cache-Control`, of a request or a response (RFC 9111 section 5.2).
///
/// The parser is tolerant: it accepts any case, several lines, empty members, unknown directives
/// and quoted numbers. A malformed directive is read in the more restrictive sense, and of
/// directives that repeat or disagree the most restrictive one counts (RFC 9111 section 4.2.1).
struct CacheControl: Sendable, Hashable {
  /// Directives without an argument.
  var flags: Flags = []
  /// The seconds of `max-age`; 0 if its argument is not a number.
  var maxAge: Int64?
  /// The seconds of `max-stale`; ``DeltaSeconds/infinite`` without an argument (section 5.2.1.2).
  var maxStale: Int64?
  /// The seconds of `min-fresh` (section 5.2.1.3); infinite if its argument is not a number.
  var minFresh: Int64?
  /// The seconds of `stale-while-revalidate` (RFC 5861 section 3).
  var staleWhileRevalidate: Int64?
  /// The seconds of `stale-if-error` (RFC 5861 section 4).
  var staleIfError: Int64?
  /// The fields of `no-cache="…"` (section 5.2.2.4).
  var noCacheFields: [String] = []

  struct Flags: OptionSet, Sendable, Hashable {
    let rawValue: UInt16

    /// Sections 5.2.1.4 and 5.2.2.4, without field names.
    static let noCache = Flags(rawValue: 1 << 0)
    /// Sections 5.2.1.5 and 5.2.2.5.
    static let noStore = Flags(rawValue: 1 << 1)
    /// Section 5.2.1.7.
    static let onlyIfCached = Flags(rawValue: 1 << 2)
    /// Section 5.2.2.2.
    static let mustRevalidate = Flags(rawValue: 1 << 3)
    /// Section 5.2.2.3.
    static let mustUnderstand = Flags(rawValue: 1 << 4)
    /// Section 5.2.2.7, with field names or without: to a private cache it is a permission.
    static let isPrivate = Flags(rawValue: 1 << 5)
    /// Section 5.2.2.9.
    static let isPublic = Flags(rawValue: 1 << 6)
    /// RFC 8246.
    static let immutable = Flags(rawValue: 1 << 7)
  }

  init() {}

  init(_ headers: HTTPHeaders) {
    for field in headers where field.name == .cacheControl {
      add(field.value)
    }
  }

  /// Adds the directives of one line.
  mutating func add(_ line: String) {
    if !addPlain(line) { addAny(line) }
  }

  /// Adds the directives of a line in any form.
  mutating func addAny(_ line: String) {
    FieldList.split(line[...], at: ASCII.comma) { member in
      guard !member.isEmpty else { return }
      guard let equals = member.utf8.firstIndex(of: UInt8(ascii: "=")) else {
        return add(directive: member, argument: nil)
      }
      add(
        directive: ASCII.trimmed(member[..<equals]),
        argument: Argument(
          text: member[member.utf8.index(after: equals)...],
          isMalformed: equals > member.startIndex
            && ASCII.isSpace(member.utf8[member.utf8.index(before: equals)])
        )
      )
    }
  }

  private mutating func add(directive: Substring, argument: Argument?) {
    var name = ASCII.lowercased(directive)
    if name == "no-cache", let names = argument?.fieldNames, !names.isEmpty {
      noCacheFields += names
    } else {
      name.withUTF8 { add($0, argument?.seconds, hasArgument: argument != nil) }
    }
  }
}

/// The text after a directive's `=`.
private struct Argument {
  let text: Substring
  /// A Boolean value that indicates whether there is white space before the `=`, which the grammar
  /// does not allow.
  let isMalformed: Bool

  /// The number, which may be quoted (RFC 9111 section 5.2).
  var seconds: Int64? {
    if isMalformed { return nil }
    return DeltaSeconds.parse(text)
      ?? FieldList.unquoted(text).flatMap { DeltaSeconds.parse($0) }
  }

  /// The field names, in lower case; empty if there is none or one is not a token.
  var fieldNames: [String] {
    let names = FieldList.members(of: FieldList.unquoted(text) ?? String(text))
    return names.allSatisfy({ ASCII.isToken($0) }) ? names.map { ASCII.lowercased($0) } : []
  }
}
