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
    let date = "\(time.year.padded(to: 4))-\(time.month.padded(to: 2))-\(time.day.padded(to: 2))"
    let clock = [time.hour, time.minute, time.second].map { $0.padded(to: 2) }
    let rest = hasFraction ? ".\(fraction.padded(to: 3))" : ""
    return "\(date)T\(clock.joined(separator: ":"))\(rest)Z"
  }
}
