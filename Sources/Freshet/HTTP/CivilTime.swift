import FreshetEssentials

/// A time in UTC, as its components in the Gregorian calendar.
struct CivilTime {
  var year: Int
  var month: Int
  var day: Int
  var hour: Int
  var minute: Int
  var second: Int
  /// The day of the week; 0 is Sunday.
  var weekday: Int

  init(year: Int, month: Int, day: Int, time: (hour: Int, minute: Int, second: Int)) {
    self.year = year
    self.month = month
    self.day = day
    (hour, minute, second) = time
    weekday = 0
  }

  init(secondsSince1970 seconds: Int64) {
    let days = Self.flooredDivision(Int(seconds), 86_400)
    let rest = Int(seconds) - days * 86_400
    (year, month, day) = Self.date(daysSince1970: days)
    (hour, minute, second) = (rest / 3_600, rest / 60 % 60, rest % 60)
    weekday = ((days + 4) % 7 + 7) % 7
  }

  /// Creates the components of a date.
  ///
  /// A date outside the years 0 to 9999 becomes their first or last second, and NaN becomes 1970.
  init(_ date: Date) {
    self.init(secondsSince1970: Int64(Self.clamped(date.timeIntervalSince1970.rounded(.down))))
  }

  /// Returns the nearest time within the years 0 to 9999, in seconds since 1970; 0 for NaN.
  static func clamped(_ seconds: Double) -> Double {
    seconds.isNaN ? 0 : min(max(seconds, -62_167_219_200), 253_402_300_799)
  }

  /// A Boolean value that indicates whether each component is in its range; second 60 is a leap second.
  var isValid: Bool {
    (1...12).contains(month) && day >= 1 && day <= Self.days(in: month, of: year)
      && hour < 24 && minute < 60 && second <= 60
  }

  var secondsSince1970: Int64 {
    Int64(Self.days(year: year, month: month, day: day) * 86_400)
      + Int64(hour * 3_600 + minute * 60 + second)
  }

  /// Returns whether the time is later in its year than another one in its own.
  func sortsAfter(_ other: CivilTime) -> Bool {
    (month, day, hour, minute, second)
      > (other.month, other.day, other.hour, other.minute, other.second)
  }

  // Years are counted from March, so that the leap day is the last; 400 of them, an era, have
  // 146,097 days, and day 0 of era 0 is 719,468 days before 1970.

  private static func days(year: Int, month: Int, day: Int) -> Int {
    let shifted = month <= 2 ? year - 1 : year
    let era = flooredDivision(shifted, 400)
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  private static func date(daysSince1970 days: Int) -> (year: Int, month: Int, day: Int) {
    let days = days + 719_468
    let era = flooredDivision(days, 146_097)
    let dayOfEra = days - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }

  private static func days(in month: Int, of year: Int) -> Int {
    switch month {
    case 4, 6, 9, 11: 30
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    default: 31
    }
  }

  private static func flooredDivision(_ value: Int, _ divisor: Int) -> Int {
    value >= 0 ? value / divisor : (value - divisor + 1) / divisor
  }
}
