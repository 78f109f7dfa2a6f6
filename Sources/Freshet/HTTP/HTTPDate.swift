public import FreshetEssentials

/// Parses and formats the dates of HTTP (RFC 9110 section 5.6.7), always in UTC and in whole seconds.
public enum HTTPDate {
  /// Parses a date in any of the three formats of HTTP.
  ///
  /// - `Sun, 06 Nov 1994 08:49:37 GMT`, the only one that is still generated.
  /// - `Sunday, 06-Nov-94 08:49:37 GMT` (RFC 850): a year that would be more than 50 years after `now`
  ///   is the latest earlier one with the same two digits.
  /// - `Sun Nov  6 08:49:37 1994` (C's `asctime`).
  ///
  /// Case is ignored (RFC 9111 section 4.2), and so is a day of the week that does not match the date.
  /// A leap second, `:60`, is the first second of the next minute.
  ///
  /// - Parameters:
  ///   - text: The field's value.
  ///   - now: The current time, to which two-digit years are relative.
  /// - Returns: The date, or `nil` for anything else: other time zones, missing or extra digits, days
  ///   that the month does not have.
  public static func parse(_ text: String, now: Date = Date()) -> Date? {
    var text = text
    return text.withUTF8 { bytes in
      var scanner = HTTPDateScanner(bytes: bytes)
      return scanner.date(now: now)
    }
  }

  /// Formats a date as `Sun, 06 Nov 1994 08:49:37 GMT`; fractions of a second are cut off.
  ///
  /// Dates before the year 0 or after the year 9999, which the format cannot represent, become its
  /// first or last second. A date that is NaN becomes the beginning of 1970.
  public static func format(_ date: Date) -> String {
    let moment = CivilTime(date)
    let name = { (names: StaticString, index: Int) in "\(names)".dropFirst(3 * index).prefix(3) }
    let day = "\(moment.day.padded(to: 2)) \(name(monthNames, moment.month - 1))"
    let time = [moment.hour, moment.minute, moment.second].map { $0.padded(to: 2) }
    return "\(name(weekdayNames, moment.weekday)), \(day) \(moment.year.padded(to: 4)) "
      + "\(time.joined(separator: ":")) GMT"
  }

  static let weekdayNames: StaticString = "SunMonTueWedThuFriSat"
  static let monthNames: StaticString = "JanFebMarAprMayJunJulAugSepOctNovDec"
}
