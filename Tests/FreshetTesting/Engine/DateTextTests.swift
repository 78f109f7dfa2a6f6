import Foundation
import Testing

@testable import FreshetTesting

@Suite struct DateTextTests {
  @Test(arguments: [
    (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
    (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
    (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
    (4_107_542_399, "Sun, 28 Feb 2100 23:59:59 GMT"),
    (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
  ])
  func `writes and reads dates`(seconds: Int, text: String) {
    let date = Date(timeIntervalSince1970: Double(seconds))

    #expect(DateText.text(date) == text)
    #expect(DateText.date(text) == date)
  }

  @Test(arguments: [
    "", "yesterday", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 CET",
    "Sun, 06 Nov 1994 25:49:37 GMT", "Sun, 06 Now 1994 08:49:37 GMT",
  ])
  func `reads nothing else`(text: String) {
    #expect(DateText.date(text) == nil)
  }

  @Test func `reads back what it writes for any day of four centuries`() {
    for day in stride(from: 0, to: 146_097, by: 13) {
      let date = Date(timeIntervalSince1970: Double(day * 86_400 + day % 86_400))
      #expect(DateText.date(DateText.text(date)) == date)
    }
  }
}
