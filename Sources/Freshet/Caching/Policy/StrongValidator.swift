import Foundation

/// What tells byte for byte which version a response is: what `If-Range` may carry (RFC 9110
/// section 13.1.5).
enum StrongValidator: Sendable, Hashable {
  case eTag(String)
  case lastModified(String)

  /// The strong `ETag`; without any `ETag`, a `Last-Modified` that was a minute old or more when the
  /// response was made, so that no second change can hide behind it (RFC 9110 section 8.8.2.2).
  ///
  /// Two-digit years are compared with the time at which the response was received.
  init?(_ head: ResponseHead, receivedAt now: Date) {
    if let tag = head.headers[.eTag] {
      guard EntityTag(tag)?.isWeak == false else { return nil }
      self = .eTag(tag)
      return
    }
    guard let modified = head.headers[.lastModified], let time = HTTPDate.parse(modified, now: now),
      let date = head.headers[.date].flatMap({ HTTPDate.parse($0, now: now) }),
      date.timeIntervalSince(time) >= 60
    else { return nil }
    self = .lastModified(modified)
  }

  /// As `If-Range` carries it.
  var value: String {
    switch self {
    case .eTag(let value), .lastModified(let value): value
    }
  }

  /// Whether a response is of this version, and says so.
  func identifies(_ head: ResponseHead) -> Bool {
    switch self {
    case .eTag(let tag): head.headers[.eTag] == tag
    case .lastModified(let date): head.headers[.lastModified] == date
    }
  }
}
