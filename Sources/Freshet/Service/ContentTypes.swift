/// The media types that a response's body may have, see `validate(contentType:)` and
/// ``Endpoint/contentTypes``.
///
/// ```swift
/// let tables: ContentTypes = ["text/csv", "application/vnd.ms-excel"]
/// let pictures: ContentTypes = "image/*"
/// ```
///
/// - A range is a media type whose type and subtype may be `*`; `*/*+json` matches every type with
///   that suffix (RFC 6839). Case and parameters are ignored.
/// - A response without a body, or without a `Content-Type`, is always accepted. ``requiresType``
///   changes the latter.
public struct ContentTypes: Sendable, Hashable {
  /// The ranges, of which at least one must match.
  public var ranges: [String]
  /// A Boolean value that indicates whether a body without a `Content-Type` is refused; `false` by
  /// default.
  public var requiresType = false

  /// Makes a list of ranges.
  public init(_ ranges: [String]) {
    self.ranges = ranges
  }

  /// Every type.
  public static let any = ContentTypes(["*/*"])

  /// The usual types of JSON: `application/json`, `text/json`, every `+json`, and `text/javascript`.
  public static let json = ContentTypes([
    "application/json", "text/json", "*/*+json", "text/javascript",
  ])

  /// Returns the list with more ranges.
  public func adding(_ ranges: String...) -> ContentTypes {
    var types = self
    types.ranges += ranges
    return types
  }
}

extension ContentTypes: ExpressibleByArrayLiteral, ExpressibleByStringLiteral {
  /// Makes a list of ranges.
  public init(arrayLiteral ranges: String...) {
    self.init(ranges)
  }

  /// Makes a list of one range.
  public init(stringLiteral range: String) {
    self.init([range])
  }
}

extension ContentTypes: CustomStringConvertible {
  /// The ranges, such as `text/csv or image/*`.
  public var description: String { ranges.joined(separator: " or ") }
}

extension ContentTypes {
  /// A Boolean value that indicates whether a body may have this type in lower case, without
  /// parameters.
  func contains(_ essence: String) -> Bool {
    ranges.contains { range in
      let wanted = ASCII.lowercased(ASCII.trimmed(range.prefix { $0 != ";" }))
        .split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
      let actual = essence.split(separator: "/", maxSplits: 1)
      guard wanted.count == 2, actual.count == 2, ["*", actual[0]].contains(wanted[0]) else {
        return false
      }
      guard wanted[1].hasPrefix("*") else { return wanted[1] == actual[1] }
      return wanted[1] == "*" || actual[1].hasSuffix(wanted[1].dropFirst())
    }
  }
}
