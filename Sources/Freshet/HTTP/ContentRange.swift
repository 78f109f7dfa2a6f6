/// The part of the whole that a response carries, from `Content-Range` (RFC 9110 section 14.4).
public struct ContentRange: Sendable, Hashable {
  /// The positions of the part's bytes; `nil` in a 416, which carries none.
  public let range: ClosedRange<Int64>?
  /// The length of the whole in bytes; `nil` if the server does not know it.
  public let total: Int64?

  /// Creates the range of a part.
  public init(_ range: ClosedRange<Int64>, of total: Int64? = nil) {
    self.range = range
    self.total = total
  }

  /// Parses `bytes 0-499/1234`, `bytes 0-499/*` or `bytes */1234`.
  ///
  /// Returns `nil` for other units, and for impossible ranges, such as a part that ends after the whole.
  public init?(_ text: String) {
    let words = text.split(separator: " ", maxSplits: 1).map { ASCII.trimmed($0) }
    guard words.count == 2, ASCII.equalIgnoringCase(words[0], "bytes") else { return nil }
    let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    total = ASCII.integer(parts[1])
    guard total != nil || parts[1] == "*" else { return nil }
    if parts[0] == "*" {
      guard total != nil else { return nil }
      range = nil
      return
    }
    let positions = parts[0].split(separator: "-", omittingEmptySubsequences: false)
    guard positions.count == 2, let first = ASCII.integer(positions[0]),
      let last = ASCII.integer(positions[1]), first <= last, last < total ?? .max
    else { return nil }
    range = first...last
  }
}

extension ContentRange: CustomStringConvertible {
  /// The range as the value of `Content-Range`.
  public var description: String {
    let part = range.map { "\($0.lowerBound)-\($0.upperBound)" } ?? "*"
    return "bytes \(part)/\(total.map(String.init) ?? "*")"
  }
}
