/// One range of bytes that a request asks for with `Range` (RFC 9110 section 14.1.2).
public enum ByteRange: Sendable, Hashable {
  /// The bytes at these positions, both included, the first of which is 0.
  case bounded(ClosedRange<Int64>)
  /// The bytes from this position to the end.
  case from(Int64)
  /// As many bytes at the end, or all if there are fewer.
  case last(Int64)

  /// Reads a field's value such as `bytes=0-499`, `bytes=500-` or `bytes=-500`.
  ///
  /// It is `nil` for other units, for several ranges and for anything that is not valid.
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

  /// The positions that it means in a body of so many bytes, or `nil` if there is none of them.
  ///
  /// Negative positions and counts mean none.
  public func positions(in length: Int64) -> Range<Int64>? {
    switch self {
    case .bounded(let range) where 0..<max(0, length) ~= range.lowerBound:
      range.lowerBound..<min(range.upperBound, length - 1) + 1
    case .from(let first) where 0..<max(0, length) ~= first: first..<length
    case .last(let count) where count > 0 && length > 0: max(0, length - count)..<length
    default: nil
    }
  }
}

extension ByteRange: CustomStringConvertible {
  /// The range as `Range` carries it.
  public var description: String {
    switch self {
    case .bounded(let range): "bytes=\(range.lowerBound)-\(range.upperBound)"
    case .from(let first): "bytes=\(first)-"
    case .last(let count): "bytes=-\(count)"
    }
  }
}
