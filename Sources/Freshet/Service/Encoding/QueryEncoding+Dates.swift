import FreshetEssentials

extension QueryEncoding.Dates {
  func text(_ date: Date) -> String {
    let seconds = date.timeIntervalSince1970
    switch self {
    case .iso8601:
      return Self.iso8601(milliseconds: CivilTime.clamped(seconds.rounded(.down)) * 1_000, false)
    case .iso8601WithMilliseconds:
      // A date counts from 2001 in binary: a date written as .250 may be slightly smaller.
      let milliseconds = (CivilTime.clamped(seconds) * 1_000 + 0.01).rounded(.down)
      return Self.iso8601(milliseconds: milliseconds, true)
    case .secondsSince1970:
      return Int64(exactly: seconds)?.description ?? seconds.description
    case .millisecondsSince1970:
      let milliseconds = (seconds * 1_000).rounded()
      return Int64(exactly: milliseconds)?.description ?? milliseconds.description
    case .http:
      return HTTPDate.format(date)
    }
  }

  private static func iso8601(milliseconds: Double, _ hasFraction: Bool) -> String {
    let total = Int64(milliseconds)
    let fraction = (total % 1_000 + 1_000) % 1_000
    let time = CivilTime(secondsSince1970: (total - fraction) / 1_000)
    let date = "\(pad(time.year, 4))-\(pad(time.month, 2))-\(pad(time.day, 2))"
    let clock = "\(pad(time.hour, 2)):\(pad(time.minute, 2)):\(pad(time.second, 2))"
    return "\(date)T\(clock)\(hasFraction ? ".\(pad(Int(fraction), 3))" : "")Z"
  }

  private static func pad(_ number: Int, _ digits: Int) -> String {
    let text = number.description
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }
}
