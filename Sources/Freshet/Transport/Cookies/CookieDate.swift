import FreshetEssentials

/// Parses the dates of the `Expires` attribute, with parts in any order and any separators (RFC 6265
/// section 5.1.1).
enum CookieDate {
  private struct Parts {
    var time: (hour: Int, minute: Int, second: Int)?
    var day: Int?
    var month: Int?
    var year: Int?
  }

  static func parse(_ text: String) -> Date? {
    var parts = Parts()
    for token in text.utf8.split(whereSeparator: isDelimiter) {
      read(token, into: &parts)
    }
    guard let time = parts.time, let day = parts.day, let month = parts.month,
      var year = parts.year
    else { return nil }
    if year < 70 { year += 2_000 } else if year < 100 { year += 1_900 }
    guard year >= 1_601 else { return nil }
    let moment = CivilTime(year: year, month: month, day: day, time: time)
    guard moment.isValid, time.second < 60 else { return nil }
    return Date(timeIntervalSince1970: Double(moment.secondsSince1970))
  }

  private static func isDelimiter(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
    default: false
    }
  }

  private static func read(_ token: Substring.UTF8View, into parts: inout Parts) {
    if parts.time == nil, let time = time(token) {
      parts.time = time
    } else if parts.day == nil, let day = number(token, digits: 1...2) {
      parts.day = day
    } else if parts.month == nil, let month = month(token) {
      parts.month = month
    } else if parts.year == nil, let year = number(token, digits: 2...4) {
      parts.year = year
    }
  }

  /// Returns the number at the beginning of the token, unless it has more digits than allowed.
  private static func number(_ token: Substring.UTF8View, digits: ClosedRange<Int>) -> Int? {
    let leading = token.prefix(while: ASCII.isDigit)
    guard digits.contains(leading.count) else { return nil }
    return leading.reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }

  private static func time(
    _ token: Substring.UTF8View
  ) -> (hour: Int, minute: Int, second: Int)? {
    let parts = token.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard parts.count >= 3, parts[0].allSatisfy(ASCII.isDigit), parts[1].allSatisfy(ASCII.isDigit),
      let hour = number(parts[0], digits: 1...2), let minute = number(parts[1], digits: 1...2),
      let second = number(parts[2], digits: 1...2)
    else { return nil }
    return (hour, minute, second)
  }

  private static func month(_ token: Substring.UTF8View) -> Int? {
    let names = [
      "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]
    let name = ASCII.lowercased(Substring(token.prefix(3)))
    return names.firstIndex(of: name).map { $0 + 1 }
  }
}
