/// Compares fields that list preferences by their meaning (RFC 9110 section 12.5, RFC 9111 section
/// 4.1).
///
/// Members are compared with their weights, case-insensitively; their order is ignored.
enum PreferenceList {
  /// Returns a Boolean value that indicates whether the members of the field have weights, and
  /// their order has no meaning.
  static func defines(_ name: HTTPHeaders.Name) -> Bool {
    name == .accept || name == .acceptEncoding || name == .acceptLanguage
  }

  /// Returns the normal form of all lists with the same meaning; `nil` if the list is malformed.
  ///
  /// The normal form of a normal form is the same.
  static func normalized(_ members: [String]) -> String? {
    let read = members.compactMap(Member.init)
    guard read.count == members.count else { return nil }
    var distinct: [Member] = []
    for member in read.sorted() where member != distinct.last { distinct.append(member) }
    return distinct.map(\.description).joined(separator: ",")
  }

  /// Returns the members with the largest weight, in lower case; empty if the list is malformed, or
  /// refuses everything.
  static func mostPreferred(_ members: [String]) -> [String] {
    let read = members.compactMap(Member.init)
    guard read.count == members.count, let weight = read.map(\.weight).max(), weight > 0 else {
      return []
    }
    return read.filter { $0.weight == weight }.map(\.text)
  }
}

extension PreferenceList {
  /// A member with its weight.
  private struct Member: Comparable, CustomStringConvertible {
    /// The member and its parameters without the weight.
    let text: String
    /// The weight in thousandths (RFC 9110 section 12.4.2).
    let weight: Int

    init?(_ member: String) {
      let parts = FieldList.parts(of: member)
      guard let value = parts.first, !value.isEmpty else { return nil }
      var weight = 1_000
      var parameters: [String] = []
      for part in parts.dropFirst() where !part.isEmpty {
        let (name, written) = FieldList.parameter(part)
        let argument = written ?? ""
        if name == "q" {
          guard let read = Self.weight(argument) else { return nil }
          weight = read
        } else {
          // A quoted string is case-sensitive.
          let isQuoted = argument.utf8.first == ASCII.quote
          parameters.append("\(name)=\(isQuoted ? String(argument) : ASCII.lowercased(argument))")
        }
      }
      text = ([ASCII.lowercased(value)] + parameters.sorted()).joined(separator: ";")
      self.weight = weight
    }

    private static func weight(_ text: Substring) -> Int? {
      let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
      guard let whole = parts.first, whole == "0" || whole == "1" else { return nil }
      let decimals = parts.count == 2 ? parts[1] : ""
      guard decimals.utf8.count <= 3, decimals.utf8.allSatisfy(ASCII.isDigit) else { return nil }
      let padded = decimals + String(repeating: "0", count: 3 - decimals.utf8.count)
      guard let thousandths = Int(padded) else { return nil }
      let weight = (whole == "1" ? 1_000 : 0) + thousandths
      return weight <= 1_000 ? weight : nil
    }

    /// The preferred members come first, equal ones ordered by the bytes of their text.
    static func < (left: Member, right: Member) -> Bool {
      left.weight == right.weight
        ? left.text.utf8.lexicographicallyPrecedes(right.text.utf8) : left.weight > right.weight
    }

    /// Returns whether both have the same bytes; `==` of texts also takes two spellings of a letter
    /// for equal.
    static func == (left: Member, right: Member) -> Bool {
      left.weight == right.weight && left.text.hasSameBytes(as: right.text)
    }

    var description: String {
      switch weight {
      case 1_000: return text
      case 0: return "\(text);q=0"
      default:
        var decimals = String(1_000 + weight).dropFirst()
        while decimals.utf8.last == UInt8(ascii: "0") { decimals.removeLast() }
        return "\(text);q=0.\(decimals)"
      }
    }
  }
}
