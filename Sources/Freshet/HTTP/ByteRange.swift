/// A range of bytes that a request asks for with `Range` (RFC 9110 section 14.1.2).
public enum ByteRange: Sendable, Hashable {
  /// The bytes at these positions, both included; the first byte is at 0.
  case bounded(ClosedRange<Int64>)
  /// The bytes from this position to the end.
  case from(Int64)
  /// The last bytes, as many as the number says, or all if there are fewer.
  case last(Int64)

  /// Parses the value of a field, such as `bytes=0-499`, `bytes=500-` or `bytes=-500`.
  ///
  /// Returns `nil` for other units, for several ranges and for anything that is not valid.
  public init?(_ text: String) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, ASCII.equalIgnoringCase(parts[0], "bytes") else { return nil }
    let positions = parts[1].split(separator: "-", omittingEmptySubsequences: false)
      .map { ASCII.trimmed($0) }
    guard positions.count == 2 else { return nil }
    let first = ASCII.integer(positions[0])
    let last = ASCII.integer(positions[1])
    switch (first, last) {
    case (let first?, let last?) where first <= last: self = .bounded(first...last)
    case (let first?, nil) where positions[1].isEmpty: self = .from(first)
    case (nil, let last?) where positions[0].isEmpty: self = .last(last)
    default: return nil
    }
  }

  /// Returns the positions of the range in a body of a given length; `nil` if it contains none of them.
  ///
  /// Negative positions and counts give `nil`.
  public func positions(in length: Int64) -> Range<Int64>? {
    switch self {
    case .bounded(let range) where 0..<max(0, length) ~= range.lowerBound:
      range.lowerBound..<min(range.upperBound, length - 1) + 1
    case .from(let first) where 0..<max(0, length) ~= first: first..<length
    case .last(let count) where count > 0 && length > 0: max(0, length - count)..<length
    default: nil
    }
  }

  /// Returns whether a part is in the range; a part of an unknown whole is in the range of its last bytes.
  func includes(_ part: ContentRange) -> Bool {
    guard let range = part.range else { return false }
    if let total = part.total {
      guard let positions = positions(in: total) else { return false }
      return positions.contains(range.lowerBound) && positions.contains(range.upperBound)
    }
    return switch self {
    case .bounded(let asked): asked.contains(range.lowerBound) && asked.contains(range.upperBound)
    case .from(let first): range.lowerBound >= first
    case .last: true
    }
  }
}

// Where an `Int` has 32 bits, a file may be longer than a `count`.
extension Range<Int64> {
  /// The number of bytes.
  var length: Int64 { upperBound - lowerBound }
}

extension ClosedRange<Int64> {
  /// The number of bytes; the last one is never the largest number.
  var length: Int64 { upperBound - lowerBound + 1 }
}

extension ByteRange: CustomStringConvertible {
  /// The range as the value of `Range`.
  public var description: String {
    switch self {
    case .bounded(let range): "bytes=\(range.lowerBound)-\(range.upperBound)"
    case .from(let first): "bytes=\(first)-"
    case .last(let count): "bytes=-\(count)"
    }
  }
}
