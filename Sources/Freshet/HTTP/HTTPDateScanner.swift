import FreshetEssentials

/// Parses the three date formats of RFC 9110 section 5.6.7 byte by byte.
struct HTTPDateScanner {
  let bytes: UnsafeBufferPointer<UInt8>
  private var position = 0

  init(bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
  }

  mutating func date(now: Date) -> Date? {
    guard let weekday = name(HTTPDate.weekdayNames) else { return nil }
    let moment: CivilTime? =
      switch peek {
      case UInt8(ascii: ","): fixed()
      case UInt8(ascii: " "): asctime()
      default: rfc850(weekday: weekday, now: now)
      }
    guard let moment, position == bytes.count, moment.isValid else { return nil }
    return Date(timeIntervalSince1970: Double(moment.secondsSince1970))
  }

  /// Parses `, 06 Nov 1994 08:49:37 GMT`.
  private mutating func fixed() -> CivilTime? {
    guard skip(", "), let day = number(2), skip(" "), let month = name(HTTPDate.monthNames),
      skip(" "), let year = number(4), skip(" "), let time = time(), skip(" GMT")
    else { return nil }
    return CivilTime(year: year, month: month + 1, day: day, time: time)
  }

  /// Parses ` Nov  6 08:49:37 1994`.
  private mutating func asctime() -> CivilTime? {
    guard skip(" "), let month = name(HTTPDate.monthNames), skip(" "),
      let day = skip(" ") ? number(1) : number(2), skip(" "), let time = time(), skip(" "),
      let year = number(4)
    else { return nil }
    return CivilTime(year: year, month: month + 1, day: day, time: time)
  }

  /// Parses `day, 06-Nov-94 08:49:37 GMT`.
  private mutating func rfc850(weekday: Int, now: Date) -> CivilTime? {
    let rests: [StaticString] = ["day", "day", "sday", "nesday", "rsday", "day", "urday"]
    guard skip(rests[weekday]), skip(", "), let day = number(2), skip("-"),
      let month = name(HTTPDate.monthNames), skip("-"), let digits = number(2), skip(" "),
      let time = time(), skip(" GMT")
    else { return nil }
    let present = CivilTime(now)
    // The latest year with these digits that is at most 50 years ahead; if it is exactly 50, the rest
    // of the date decides.
    let limit = present.year + 50
    let year = limit - (limit - digits) % 100
    var moment = CivilTime(year: year, month: month + 1, day: day, time: time)
    if year == limit, moment.sortsAfter(present) { moment.year -= 100 }
    return moment
  }

  private mutating func time() -> (Int, Int, Int)? {
    guard let hour = number(2), skip(":"), let minute = number(2), skip(":"),
      let second = number(2)
    else { return nil }
    return (hour, minute, second)
  }

  private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skip(_ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard position + count <= bytes.count else { return false }
    for offset in 0..<count
    where ASCII.lowercased(bytes[position + offset]) != ASCII.lowercased(text.utf8Start[offset]) {
      return false
    }
    position += count
    return true
  }

  private mutating func number(_ digits: Int) -> Int? {
    guard position + digits <= bytes.count else { return nil }
    var value = 0
    for byte in bytes[position..<position + digits] {
      guard ASCII.isDigit(byte) else { return nil }
      value = value * 10 + Int(byte &- 0x30)
    }
    position += digits
    return value
  }

  /// Returns the index of the next three letters among names of three letters each.
  private mutating func name(_ names: StaticString) -> Int? {
    guard position + 3 <= bytes.count else { return nil }
    for index in 0..<names.utf8CodeUnitCount / 3 {
      let start = names.utf8Start + 3 * index
      let isMatch = (0..<3)
        .allSatisfy {
          ASCII.lowercased(bytes[position + $0]) == ASCII.lowercased(start[$0])
        }
      if isMatch {
        position += 3
        return index
      }
    }
    return nil
  }
}
