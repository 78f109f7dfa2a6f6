package import FreshetEssentials

extension ResponseHead {
  /// Returns the pause that the server asks for (RFC 9110 section 10.2.3); `nil` without a valid
  /// `Retry-After`.
  ///
  /// A date is compared with the response's own `Date`, so that a wrong local clock has no effect, or
  /// with `now` if there is none. A date in the past gives zero.
  package func retryAfter(now: Date) -> Duration? {
    guard let text = headers[.retryAfter] else { return nil }
    if let seconds = ASCII.integer(text) { return .seconds(seconds) }
    guard let date = HTTPDate.parse(text, now: now) else { return nil }
    let reference = headers[.date].flatMap { HTTPDate.parse($0, now: now) } ?? now
    let pause = date.timeIntervalSince(reference)
    // Any date that a field can contain is within this range, but `now` can be anything.
    return pause > 0 ? .seconds(min(pause, 1e12)) : .zero
  }
}
