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
    let name = { (names: StaticString, index: Int) -> UnsafeBufferPointer<UInt8> in
      UnsafeBufferPointer(start: names.utf8Start + 3 * index, count: 3)
    }
    return String(unsafeUninitializedCapacity: 29) { buffer in
      var writer = ByteWriter(buffer: buffer)
      writer.write(name(weekdayNames, moment.weekday))
      writer.write(", ")
      writer.write(moment.day, digits: 2)
      writer.write(" ")
      writer.write(name(monthNames, moment.month - 1))
      writer.write(" ")
      writer.write(moment.year, digits: 4)
      writer.write(" ")
      writer.write(moment.hour, digits: 2)
      writer.write(":")
      writer.write(moment.minute, digits: 2)
      writer.write(":")
      writer.write(moment.second, digits: 2)
      writer.write(" GMT")
      return writer.count
    }
  }

  static let weekdayNames: StaticString = "SunMonTueWedThuFriSat"
  static let monthNames: StaticString = "JanFebMarAprMayJunJulAugSepOctNovDec"
}

/// Writes to a buffer that must be large enough.
private struct ByteWriter {
  let buffer: UnsafeMutableBufferPointer<UInt8>
  var count = 0

  mutating func write(_ bytes: UnsafeBufferPointer<UInt8>) {
    for byte in bytes {
      buffer[count] = byte
      count += 1
    }
  }

  mutating func write(_ text: StaticString) {
    write(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  mutating func write(_ number: Int, digits: Int) {
    var rest = number
    for position in (count..<count + digits).reversed() {
      buffer[position] = 0x30 + UInt8(rest % 10)
      rest /= 10
    }
    count += digits
  }
}
