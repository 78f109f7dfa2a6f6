import Foundation

/// All that the policy needs of a stored response, read from its head once.
///
/// It is shared: each hit looks into it, and none copies it.
final class CacheRecord: Sendable {
  /// The response's directives.
  let control: CacheControl
  /// Whether it may answer only after a validation: `no-cache`, or `no-cache="…"` with a field that
  /// is still there (RFC 9111 section 5.2.2.4).
  let mustValidate: Bool
  /// The lifetime in seconds as the response says it, and by which rule (section 4.2.1).
  let lifetime: Double
  let rule: CacheFreshness.Rule
  /// When the origin made it: `Date`, or else when it was received (RFC 9110 section 6.6.1).
  let date: Date
  /// Its age in seconds when it was received (section 4.2.3).
  let initialAge: Double
  /// When it was received.
  let responseTime: Date
  /// Whether `Vary` holds `*` (section 4.1).
  let isUnmatchable: Bool
  /// Whether its age is not known any more: it is stale by every count (section 4.3.5).
  let isOutdated: Bool

  /// As the time of a request, it says that the response's age is not known any more.
  static let unknownTime = Date(timeIntervalSince1970: 0)

  init(head: ResponseHead, requestTime: Date, responseTime: Date) {
    var fields = Fields()
    fields.read(head.headers)
    control = fields.control
    let names = fields.control.noCacheFields
    mustValidate =
      control.flags.contains(.noCache)
      || names.contains { head.headers.contains(HTTPHeaders.Name($0)) }
    self.responseTime = responseTime
    date = fields.date.flatMap { HTTPDate.parse($0, now: responseTime) } ?? responseTime
    isUnmatchable = fields.isUnmatchable
    isOutdated = requestTime == Self.unknownTime
    initialAge = Self.initialAge(
      age: fields.ageValue,
      date: date,
      requestTime: requestTime,
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
    // Negative differences come from clocks that differ or were set back: they count as none.
    let apparentAge = max(0, responseTime.timeIntervalSince(date))
    let responseDelay = max(0, responseTime.timeIntervalSince(requestTime))
    return max(apparentAge, Double(age) + responseDelay)
  }

  /// How old it is (section 4.2.3): `current_age`, in seconds.
  func age(_ now: Date) -> Double {
    initialAge + (residentTime(now) ?? 0)
  }

  /// The seconds since it was received or validated; `nil` if the clock was set back to before.
  ///
  /// A minute back is forgiven, as clocks are corrected by little all the time.
  func residentTime(_ now: Date) -> Double? {
    let time = now.timeIntervalSince(responseTime)
    return time < -60 ? nil : max(0, time)
  }
}

/// The fields of a response that matter to a cache, collected in one pass.
private struct Fields {
  var control = CacheControl()
  var age: String?
  var date: String?
  var expires: String?
  var lastModified: String?
  var isUnmatchable = false

  mutating func read(_ headers: HTTPHeaders) {
    for field in headers {
      switch field.name {
      case .cacheControl: control.add(field.value)
      case .date: date = date ?? field.value
      case .expires: expires = expires ?? field.value
      case .lastModified: lastModified = lastModified ?? field.value
      case .vary:
        isUnmatchable = isUnmatchable || FieldList.members(of: field.value).contains("*")
      case .age: age = age ?? field.value
      default: break
      }
    }
  }

  /// Section 5.1: the first member counts, and nothing that is not a number.
  var ageValue: Int64 {
    guard let first = age?.prefix(while: { $0 != "," }) else { return 0 }
    return DeltaSeconds.parse(ASCII.trimmed(first)) ?? 0
  }

  /// RFC 9111 section 4.2.1, without `s-maxage`, which is for shared caches.
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
      // Section 5.3: what is not a date, "0" above all, has expired.
      let end = HTTPDate.parse(expires, now: now)
      return (max(0, end?.timeIntervalSince(date) ?? 0), .expires)
    }
    guard let modified = lastModified.flatMap({ HTTPDate.parse($0, now: now) }),
      head.status.isHeuristicallyCacheable || control.flags.contains(.isPublic),
      head.url.query(percentEncoded: true) == nil
    else { return (0, .none) }
    // Section 4.2.2 suggests a tenth; the cap of a day is the age beyond which caches once had to
    // warn of it. An error is no resource that has not changed for long: it holds for minutes.
    let limit: Double = head.status.rawValue >= 400 ? 300 : 86_400
    return (min(max(0, date.timeIntervalSince(modified) / 10), limit), .heuristic)
  }
}

extension HTTPStatus {
  /// Whether a response may be stored and be fresh without saying so (RFC 9110 section 15.1).
  var isHeuristicallyCacheable: Bool {
    switch rawValue {
    case 200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501: true
    default: false
    }
  }
}
