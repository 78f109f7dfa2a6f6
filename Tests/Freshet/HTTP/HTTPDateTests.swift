import Foundation
import Freshet
import Testing

@Suite struct HTTPDateTests {
  static let example = Date(timeIntervalSince1970: 784_111_777)
  static let now = Date(timeIntervalSince1970: 1_763_700_000)  // 21 November 2025, 04:40:00

  @Test(
    arguments: [
      "Sun, 06 Nov 1994 08:49:37 GMT",
      "Sunday, 06-Nov-94 08:49:37 GMT",
      "Sun Nov  6 08:49:37 1994",
      "sun, 06 nov 1994 08:49:37 gmt",
      "Mon, 06 Nov 1994 08:49:37 GMT",
    ]
  )
  func `reads the three formats in any case`(text: String) {
    #expect(HTTPDate.parse(text, now: Self.now) == Self.example)
  }

  @Test(
    arguments: [
      "", "0", "-1", "now", "Sun", "Sun,", "Sunday", "Thu, 18 Aug 2050 02:01:18",
      "Thu, 18 Aug 2050 2:01:18 GMT", "Thu, 18 Aug 50 02:01:18 GMT",
      "Thu, 18 Aug 2050 02:01:18 AEST", "Thu, 18 Aug 2050 02:01:18 UTC",
      "Thu, 18 Aug 2050 02:01:18 +0000", "Thu, 18-Aug-2050 02:01:18 GMT",
      "Thu, 18  Aug  2050  02:01:18 GMT", "Thu 18 Aug 2050 02:01:18 GMT",
      "Thu, 18 Aug 2050 02.01.18 GMT", "Thu, 18 Aug 2050 02:01 GMT", "18 Aug 2050 02:01:18 GMT",
      "Thu, 18 Aug 2050 02:01:18 GMT ", "Thu, 32 Aug 2050 02:01:18 GMT",
      "Thu, 00 Aug 2050 02:01:18 GMT", "Thu, 31 Sep 2050 02:01:18 GMT",
      "Thu, 29 Feb 2100 02:01:18 GMT", "Thu, 18 Aug 2050 24:00:00 GMT",
      "Thu, 18 Aug 2050 02:60:18 GMT", "Thu, 18 Aug 2050 02:01:61 GMT",
      "Thu, 18 Abc 2050 02:01:18 GMT", "Xyz, 18 Aug 2050 02:01:18 GMT",
      "Thursday, 18-Aug-2050 02:01:18 GMT", "Sun Nov 06 08:49:37 1994 GMT", "2050-08-18T02:01:18Z",
      "Thu, 18 Aug ٢٠٥٠ 02:01:18 GMT",
    ]
  )
  func `refuses what is not a date`(text: String) {
    #expect(HTTPDate.parse(text, now: Self.now) == nil)
  }

  @Test(
    arguments: [
      ("Friday, 21-Nov-75 04:40:00 GMT", 2075),
      ("Friday, 21-Nov-75 04:40:01 GMT", 1975),
      ("Friday, 20-Dec-75 04:40:00 GMT", 1975),
      ("Friday, 01-Jan-76 00:00:00 GMT", 1976),
      ("Friday, 01-Jan-74 00:00:00 GMT", 2074),
      ("Friday, 01-Jan-25 00:00:00 GMT", 2025),
      ("Friday, 01-Jan-99 00:00:00 GMT", 1999),
      ("Friday, 01-Jan-00 00:00:00 GMT", 2000),
    ]
  )
  func `reads a two-digit year as at most fifty years ahead`(text: String, year: Int) throws {
    let date = try #require(HTTPDate.parse(text, now: Self.now))

    #expect(HTTPDate.format(date).contains(" \(year) "))
  }

  @Test func `reads a leap second as the next minute's first second`() {
    let leap = HTTPDate.parse("Sat, 31 Dec 2016 23:59:60 GMT")

    #expect(leap == HTTPDate.parse("Sun, 01 Jan 2017 00:00:00 GMT"))
  }

  @Test func `writes the fixed format without fractions`() {
    #expect(HTTPDate.format(Self.example) == "Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(
      HTTPDate.format(Date(timeIntervalSince1970: -0.5)) == "Wed, 31 Dec 1969 23:59:59 GMT"
    )
  }

  @Test(
    arguments: [
      (Date.distantPast, "Sat, 30 Dec 0000"), (Date(timeIntervalSince1970: 1e15), "31 Dec 9999"),
      (Date(timeIntervalSince1970: -1e15), "Sat, 01 Jan 0000"),
    ]
  )
  func `writes the nearest date that the format allows`(date: Date, part: String) {
    let text = HTTPDate.format(date)

    #expect(text.contains(part))
    #expect(text.utf8.count == 29)
  }

  @Test func `reads what it writes on each day of four centuries`() {
    let wrong = stride(from: -100.0, to: 146_100, by: 1)
      .first { day in
        let date = Date(timeIntervalSince1970: day * 86_400 + 40_271)
        return HTTPDate.parse(HTTPDate.format(date)) != date
      }

    #expect(wrong == nil)
  }
}
