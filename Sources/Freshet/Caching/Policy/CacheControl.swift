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
    for line in headers[values: .cacheControl] { add(line) }
  }
}
