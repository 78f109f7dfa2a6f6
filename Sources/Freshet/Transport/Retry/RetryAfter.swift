public import FreshetEssentials

extension ResponseHead {
  /// Returns the pause that the server asks for (RFC 9110 section 10.2.3); `nil` without a valid
  /// `Retry-After`.
  ///
  /// A date is compared with the response's own `Date`, so that a wrong local clock has no effect, or
  /// with `now` if there is none. A date in the past gives zero. A pause is at most 10^12 seconds.
  ///
  /// - Parameter now: The current time; the system's by default.
  /// - Returns: The pause, from the response on.
  public func retryAfter(now: Date = Date()) -> Duration? {
    guard let text = headers[.retryAfter] else { return nil }
    if !text.isEmpty, text.utf8.allSatisfy(ASCII.isDigit) {
      return .seconds(min(ASCII.integer(text) ?? .max, Self.longestPause))
    }
    guard let date = HTTPDate.parse(text, now: now) else { return nil }
    let reference = headers[.date].flatMap { HTTPDate.parse($0, now: now) } ?? now
    let pause = date.timeIntervalSince(reference)
    return pause > 0 ? .seconds(min(pause, Double(Self.longestPause))) : .zero
  }

  /// The longest pause, in seconds: adding it to any clock's time does not overflow.
  private static var longestPause: Int64 { 1_000_000_000_000 }
}
