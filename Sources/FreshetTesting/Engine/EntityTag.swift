/// An entity tag as in `ETag` and its conditions (RFC 9110 section 8.8.3).
struct EntityTag: Equatable {
  let isWeak: Bool
  /// The text between the quotes.
  let opaque: String

  init?(_ text: some StringProtocol) {
    isWeak = text.hasPrefix("W/")
    let quoted = text.dropFirst(isWeak ? 2 : 0)
    guard quoted.count >= 2, quoted.first == "\"", quoted.last == "\"" else { return nil }
    opaque = String(quoted.dropFirst().dropLast())
    guard !opaque.contains("\"") else { return nil }
  }

  /// Returns the tags of a list, and ignores anything else.
  ///
  /// Quoted tags may contain commas.
  static func list(_ text: String) -> [EntityTag] {
    var items: [Substring] = []
    var start = text.startIndex
    var isQuoted = false
    for index in text.indices {
      switch text[index] {
      case "\"":
        isQuoted.toggle()
      case "," where !isQuoted:
        items.append(text[start..<index])
        start = text.index(after: index)
      default:
        break
      }
    }
    items.append(text[start...])
    return items.compactMap { EntityTag(FieldText.trimmed($0)) }
  }

  func weaklyMatches(_ other: EntityTag) -> Bool {
    opaque == other.opaque
  }

  func stronglyMatches(_ other: EntityTag) -> Bool {
    !isWeak && !other.isWeak && opaque == other.opaque
  }
}
