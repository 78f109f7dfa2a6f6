/// The version of a representation, as in `ETag` and `If-None-Match` (RFC 9110 section 8.8.3).
public struct EntityTag: Sendable, Hashable {
  /// The opaque text between the quotation marks.
  public let value: String
  /// A Boolean value that indicates whether equal tags only mean equivalent representations, not the
  /// same bytes.
  public let isWeak: Bool

  /// Creates a tag that identifies the exact bytes.
  ///
  /// - Parameter value: The text between the quotation marks, without white space and quotation marks.
  /// - Returns: The tag.
  public static func strong(_ value: String) -> EntityTag {
    EntityTag(value: value, isWeak: false)
  }

  /// Creates a tag that identifies equivalent representations.
  ///
  /// - Parameter value: The text between the quotation marks, without white space and quotation marks.
  /// - Returns: The tag.
  public static func weak(_ value: String) -> EntityTag {
    EntityTag(value: value, isWeak: true)
  }

  private init(value: String, isWeak: Bool) {
    self.value = value
    self.isWeak = isWeak
  }

  /// Parses `"text"` or `W/"text"`; `nil` for anything else, such as text without quotation marks.
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

  /// Compares the bytes of both texts, and whether the tags are weak.
  public static func == (left: EntityTag, right: EntityTag) -> Bool {
    left.isWeak == right.isWeak && left.value.hasSameBytes(as: right.value)
  }

  /// Returns whether both tags are strong and equal (RFC 9110 section 8.8.3.2).
  public func matchesStrongly(_ other: EntityTag) -> Bool {
    !isWeak && !other.isWeak && value.hasSameBytes(as: other.value)
  }

  /// Returns whether the texts of both tags are equal, strong or weak (RFC 9110 section 8.8.3.2).
  public func matchesWeakly(_ other: EntityTag) -> Bool {
    value.hasSameBytes(as: other.value)
  }

  /// Returns whether the tag matches any of a list weakly, or the list is `*`, as a server
  /// evaluates `If-None-Match` (RFC 9110 section 13.1.2).
  ///
  /// ```swift
  /// let isCurrent = tag.matchesWeakly(anyOf: headers.combined(.ifNoneMatch) ?? "")
  /// ```
  ///
  /// - Parameter list: The value of the field; of several fields with that name, their values with
  ///   commas between them. Members that are no tags match nothing.
  /// - Returns: `true` if the answer to a `GET` or a `HEAD` is a 304.
  public func matchesWeakly(anyOf list: String) -> Bool {
    let members = FieldList.members(of: list)
    return members == ["*"]
      || members.contains { EntityTag(String($0))?.matchesWeakly(self) == true }
  }
}

extension EntityTag: CustomStringConvertible {
  /// The tag as a field's value.
  public var description: String { "\(isWeak ? "W/" : "")\"\(value)\"" }
}
