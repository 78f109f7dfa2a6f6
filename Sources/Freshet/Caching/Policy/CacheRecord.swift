import FreshetEssentials

/// The properties of a stored response that the policy needs, read from its head once.
///
/// It is shared, so that a hit does not copy it.
final class CacheRecord: Sendable {
  /// The response's directives.
  let control: CacheControl
  /// A Boolean value that indicates whether it may answer only after a validation: `no-cache`, or
  /// `no-cache="…"` with a field that is still there (RFC 9111 section 5.2.2.4).
  let mustValidate: Bool
  /// The lifetime in seconds by the response's own fields, and the rule that decided it (section
  /// 4.2.1).
  let lifetime: Double
  let rule: CacheFreshness.Rule
  /// The time when the origin made it: `Date`, or else ``responseTime`` (RFC 9110 section 6.6.1).
  let date: Date
  /// Its age in seconds when it was received (section 4.2.3).
  let initialAge: Double
  /// The time when it was received.
  let responseTime: Date
  /// A Boolean value that indicates whether `Vary` contains `*`, or counts as such (section 4.1).
  let isUnmatchable: Bool
  /// A Boolean value that indicates whether its URL is the key under which it is stored: it is not the
  /// response of a URL to which the request was redirected.
  let isOfKey: Bool
  /// A Boolean value that indicates whether its age is no longer known, so that it is always stale
  /// (section 4.3.5).
  let isOutdated: Bool

  /// A request time which means that the response's age is no longer known.
  static let unknownTime = Date(timeIntervalSince1970: 0)
  /// The seconds by which a time may be in the future: clocks are often corrected by small steps.
  static let clockTolerance = 60.0

  init(_ key: CacheKey, head: ResponseHead, requestTime: Date, responseTime: Date) {
    var fields = Fields()
    fields.read(head.headers)
    control = fields.control
    let names = Set(fields.control.noCacheFields.map { HTTPHeaders.Name($0) })
    mustValidate =
      control.flags.contains(.noCache)
      || !names.isEmpty && head.headers.contains { names.contains($0.name) }
    self.responseTime = responseTime
    date = fields.date.flatMap { HTTPDate.parse($0, now: responseTime) } ?? responseTime
    isUnmatchable = fields.hasVary && VaryingFields.isUnmatchable(head.headers)
    isOfKey = head.url.absoluteString == key.text
    isOutdated = requestTime == Self.unknownTime
    initialAge = Self.initialAge(
      age: fields.ageValue,
      date: date,
      requestTime: isOutdated ? responseTime : requestTime,
      responseTime: responseTime
    )
    (lifetime, rule) = fields.lifetime(head: head, date: date, now: responseTime)
  }

  /// RFC 9111 section 4.2.3: `corrected_initial_age`.
  private static func initialAge(
    age: Int64,
    date: Date,
    requestTime: Date,
    responseTime: Date
  ) -> Double {
    // Negative differences come from clocks that differ or were set back: they count as zero.
    let apparentAge = max(0, responseTime.timeIntervalSince(date))
    let responseDelay = max(0, responseTime.timeIntervalSince(requestTime))
    return max(apparentAge, Double(age) + responseDelay)
  }

  /// Returns its age in seconds (section 4.2.3: `current_age`).
  func age(_ now: Date) -> Double {
    initialAge + (residentTime(now) ?? 0)
  }

  /// Returns the seconds since it was received or validated; `nil` if the clock was set back to
  /// more than a minute before.
  func residentTime(_ now: Date) -> Double? {
    let time = now.timeIntervalSince(responseTime)
    return time < -Self.clockTolerance ? nil : max(0, time)
  }
}

/// The fields of a response that matter to a cache, collected in one pass.
private struct Fields {
  var control = CacheControl()
  var age: String?
  var date: String?
  var expires: String?
  var lastModified: String?
  var hasVary = false

  mutating func read(_ headers: HTTPHeaders) {
    for field in headers {
      switch field.name {
      case .cacheControl: control.add(field.value)
      case .date: date = date ?? field.value
      case .expires: expires = expires ?? field.value
      case .lastModified: lastModified = lastModified ?? field.value
      case .vary: hasVary = true
      case .age: age = age ?? field.value
      default: break
      }
    }
  }

  /// The number in the first member of `Age` (section 5.1); 0 if it is not a number.
  var ageValue: Int64 {
    guard let first = age?.prefix(while: { $0 != "," }) else { return 0 }
    return DeltaSeconds.parse(ASCII.trimmed(first).utf8) ?? 0
  }

  /// Returns the lifetime by RFC 9111 section 4.2.1, without `s-maxage`, which is for shared
  /// caches.
  func lifetime(
    head: ResponseHead,
    date: Date,
    now: Date
  ) -> (Double, CacheFreshness.Rule) {
    if let maxAge = control.maxAge {
      let isImmutable = control.flags.contains(.immutable)
      return (Double(maxAge), isImmutable ? .immutable : .maxAge)
    }
    if let expires {
      // Section 5.3: a value that is not a date, such as "0", has expired.
      let end = HTTPDate.parse(expires, now: now)
      return (max(0, end?.timeIntervalSince(date) ?? 0), .expires)
    }
    guard let modified = lastModified.flatMap({ HTTPDate.parse($0, now: now) }),
      head.status.isHeuristicallyCacheable || control.flags.contains(.isPublic),
      head.url.query(percentEncoded: true) == nil
    else { return (0, .none) }
    // Section 4.2.2 suggests a tenth; the cap of a day is the age beyond which caches once had to
    // add a warning. An error that was not modified for long is still fresh for five minutes at
    // most.
    let limit: Double = head.status.rawValue >= 400 ? 300 : 86_400
    return (min(max(0, date.timeIntervalSince(modified) / 10), limit), .heuristic)
  }
}

extension HTTPStatus {
  /// A Boolean value that indicates whether a response may be stored and fresh without explicit
  /// freshness information (RFC 9110 section 15.1).
  var isHeuristicallyCacheable: Bool {
    switch rawValue {
    case 200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501: true
    default: false
    }
  }
}
