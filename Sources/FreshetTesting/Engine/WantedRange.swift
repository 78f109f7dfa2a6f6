import Freshet

/// The range that a request asks for with `Range` (RFC 9110 section 14.2).
enum WantedRange: Equatable {
  /// Everything: there is no range, or it is malformed, or there are several.
  case whole
  /// A range.
  case part(Range<Int64>)
  /// A range that does not exist.
  case unsatisfiable

  init(_ text: String?, length: Int64) {
    guard let text, text.lowercased().hasPrefix("bytes="), !text.contains(",") else {
      self = .whole
      return
    }
    let bounds = ASCII.trimmed(text.dropFirst(6))
      .split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    guard bounds.count == 2 else {
      self = .whole
      return
    }
    self = Self.range(first: bounds[0], last: bounds[1], length: length)
  }

  private static func range(first: Substring, last: Substring, length: Int64) -> WantedRange {
    if first.isEmpty {
      guard let count = number(last) else { return .whole }
      return count == 0 || length == 0 ? .unsatisfiable : .part(max(0, length - count)..<length)
    }
    guard let start = number(first), let end = last.isEmpty ? .max : number(last), start <= end
    else { return .whole }
    return start >= length ? .unsatisfiable : .part(start..<min(length, max(end, end &+ 1)))
  }

  /// Returns the digits' value, the largest number if it overflows, `nil` for anything else.
  private static func number(_ digits: Substring) -> Int64? {
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    return Int64(digits) ?? .max
  }
}
