import FreshetEssentials

/// A validator that identifies a version byte for byte, and that `If-Range` may carry (RFC 9110
/// section 13.1.5).
enum StrongValidator: Sendable, Hashable {
  case eTag(String)
  case lastModified(String)

  /// Makes the validator of a response: its strong `ETag`, or without any `ETag`, a `Last-Modified`
  /// that was at least a minute old when the response was made, so that no second change within the
  /// same second is missed (RFC 9110 section 8.8.2.2).
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

  /// The value of `If-Range`.
  var value: String {
    switch self {
    case .eTag(let value), .lastModified(let value): value
    }
  }

  /// Returns a Boolean value that indicates whether a response has this validator.
  func identifies(_ head: ResponseHead) -> Bool {
    switch self {
    case .eTag(let tag): head.headers[.eTag]?.hasSameBytes(as: tag) == true
    case .lastModified(let date): head.headers[.lastModified]?.hasSameBytes(as: date) == true
    }
  }
}

extension StrongValidator {
  /// Returns whether both have the same bytes; `==` of texts also takes two spellings of a letter
  /// for equal.
  static func == (left: StrongValidator, right: StrongValidator) -> Bool {
    switch (left, right) {
    case (.eTag, .eTag), (.lastModified, .lastModified): left.value.hasSameBytes(as: right.value)
    case (.eTag, _), (.lastModified, _): false
    }
  }
}
