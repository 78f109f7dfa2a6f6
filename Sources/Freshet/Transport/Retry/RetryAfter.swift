import Foundation

extension ResponseHead {
  /// How long the server asks to wait (RFC 9110 section 10.2.3), or `nil` if it does not say.
  ///
  /// A date is compared with the response's own `Date`, so that a wrong clock here does no harm,
  /// and with `now` if there is none. What is past is zero.
  func retryAfter(now: Date) -> Duration? {
    guard let text = headers[.retryAfter] else { return nil }
    if let seconds = ASCII.integer(text) { return .seconds(seconds) }
    guard let date = HTTPDate.parse(text, now: now) else { return nil }
    let reference = headers[.date].flatMap { HTTPDate.parse($0, now: now) } ?? now
    let pause = date.timeIntervalSince(reference)
    // All dates that a field can name are within this; a clock may show any.
    return pause > 0 ? .seconds(min(pause, 1e12)) : .zero
  }
}
