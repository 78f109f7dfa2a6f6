public import Foundation

/// Dates as HTTP writes them (RFC 9110 section 5.6.7); always UTC, in whole seconds.
public enum HTTPDate {
  /// Reads a date in any of the three formats that HTTP has had.
  ///
  /// - `Sun, 06 Nov 1994 08:49:37 GMT`, which is the only one still written.
  /// - `Sunday, 06-Nov-94 08:49:37 GMT` (RFC 850): a year that would be more than 50 years after
  ///   `now` is the latest one before with the same two digits.
  /// - `Sun Nov  6 08:49:37 1994` (C's `asctime`).
  ///
  /// Case does not matter (RFC 9111 section 4.2), and neither does whether the day of the week fits
  /// the date. A leap second, `:60`, is the first second of the next minute.
  ///
  /// - Parameters:
  ///   - text: The field's value.
  ///   - now: What two-digit years are compared with.
  /// - Returns: The date, or `nil` for anything else: other time zones, missing or added digits, days
  ///   that the month does not have.
  public static func parse(_ text: String, now: Date = Date()) -> Date? {
    var text = text
    return text.withUTF8 { bytes in
      var scanner = HTTPDateScanner(bytes: bytes)
      return scanner.date(now: now)
    }
  }

  /// Writes a date as `Sun, 06 Nov 1994 08:49:37 GMT`; fractions of a second are cut off.
  ///
  /// Dates before the year 0 or after the year 9999, which the format cannot hold, become the first
  /// or last second that it can. A date that is no number becomes the first of 1970.
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

/// Fills a buffer that is known to be large enough.
private struct ByteWriter {
  let buffer: UnsafeMutableBufferPointer<UInt8>
  var count = 0

  init(buffer: UnsafeMutableBufferPointer<UInt8>) {
    self.buffer = buffer
  }

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
