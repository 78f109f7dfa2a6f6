/// The version of a representation, as `ETag` and `If-None-Match` carry it (RFC 9110 section 8.8.3).
public struct EntityTag: Sendable, Hashable {
  /// The opaque text between the quotation marks.
  public let value: String
  /// Whether equal tags mean equivalent representations only, not the same bytes.
  public let isWeak: Bool

  /// A tag of the same bytes.
  ///
  /// - Parameter value: The text between the quotation marks: no white space, no quotation mark.
  /// - Returns: The tag.
  public static func strong(_ value: String) -> EntityTag {
    EntityTag(value: value, isWeak: false)
  }

  /// A tag of an equivalent representation.
  ///
  /// - Parameter value: The text between the quotation marks: no white space, no quotation mark.
  /// - Returns: The tag.
  public static func weak(_ value: String) -> EntityTag {
    EntityTag(value: value, isWeak: true)
  }

  private init(value: String, isWeak: Bool) {
    self.value = value
    self.isWeak = isWeak
  }

  /// Reads `"text"` or `W/"text"`; `nil` for anything else, such as text without quotation marks.
  public init?(_ text: String) {
    let isWeak = text.hasPrefix("W/")
    let quoted = text.utf8.dropFirst(isWeak ? 2 : 0)
    guard quoted.count >= 2, quoted.first == ASCII.quote, quoted.last == ASCII.quote else {
      return nil
    }
    let content = quoted.dropFirst().dropLast()
    guard content.allSatisfy({ $0 > 0x20 && $0 != 0x7F && $0 != ASCII.quote }) else { return nil }
    self.init(value: String(Substring(content)), isWeak: isWeak)
  }

  /// Whether both are strong and the same (RFC 9110 section 8.8.3.2).
  public func matchesStrongly(_ other: EntityTag) -> Bool {
    !isWeak && !other.isWeak && value == other.value
  }

  /// Whether their texts are the same, be they strong or weak (RFC 9110 section 8.8.3.2).
  public func matchesWeakly(_ other: EntityTag) -> Bool {
    value == other.value
  }
}

extension EntityTag: CustomStringConvertible {
  /// The tag as it is sent.
  public var description: String { "\(isWeak ? "W/" : "")\"\(value)\"" }
}
