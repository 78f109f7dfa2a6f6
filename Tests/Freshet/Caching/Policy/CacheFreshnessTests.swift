import Foundation
import Testing

@testable import Freshet

@Suite struct CacheFreshnessTests {
  struct Lifetime: CustomTestStringConvertible, Sendable {
    let rule: String
    let headers: HTTPHeaders
    let seconds: Double
    var decidedBy: CacheFreshness.Rule
    var status: HTTPStatus = .ok
    var url = "https://a.org/x"

    var testDescription: String { rule }
  }

  static func modified(_ daysAgo: Double) -> String { Fixture.date(-daysAgo * 86_400) }

  static let lifetimes: [Lifetime] = [
    Lifetime(
      rule: "4.2.1: max-age is used",
      headers: ["Cache-Control": "max-age=60"],
      seconds: 60,
      decidedBy: .maxAge
    ),
    Lifetime(
      rule: "4.2.1: max-age comes before Expires",
      headers: ["Cache-Control": "max-age=60", "Expires": Fixture.date(9)],
      seconds: 60,
      decidedBy: .maxAge
    ),
    Lifetime(
      rule: "5.2.2.10: s-maxage is for shared caches",
      headers: ["Cache-Control": "s-maxage=60"],
      seconds: 0,
      decidedBy: .none
    ),
    Lifetime(
      rule: "RFC 9213: targeted fields are for others",
      headers: ["CDN-Cache-Control": "max-age=60"],
      seconds: 0,
      decidedBy: .none
    ),
    Lifetime(
      rule: "4.2.1: Expires minus Date, by the origin's clock",
      headers: ["Expires": Fixture.date(3_600), "Date": Fixture.date(3_000)],
      seconds: 600,
      decidedBy: .expires
    ),
    Lifetime(
      rule: "4.2.1: Expires minus the time of arrival without Date",
      headers: ["Expires": Fixture.date(60)],
      seconds: 60,
      decidedBy: .expires
    ),
    Lifetime(
      rule: "RFC 9110 6.6.1: an invalid Date is none",
      headers: ["Expires": Fixture.date(60), "Date": "yesterday"],
      seconds: 60,
      decidedBy: .expires
    ),
    Lifetime(
      rule: "5.3: Expires 0 has expired",
      headers: ["Expires": "0", "Last-Modified": modified(100)],
      seconds: 0,
      decidedBy: .expires
    ),
    Lifetime(
      rule: "5.3: Expires in the past has expired",
      headers: ["Expires": Fixture.date(-60)],
      seconds: 0,
      decidedBy: .expires
    ),
    Lifetime(
      rule: "4.2.1: of two Expires the first counts",
      headers: ["Expires": Fixture.date(60), "expires": Fixture.date(600)],
      seconds: 60,
      decidedBy: .expires
    ),
    Lifetime(
      rule: "4.2.1: a malformed max-age is stale and no heuristic follows",
      headers: [
        "Cache-Control": "max-age=x", "Last-Modified": modified(100), "Expires": Fixture.date(60),
      ],
      seconds: 0,
      decidedBy: .maxAge
    ),
    Lifetime(
      rule: "4.2.2: a tenth of the time since Last-Modified",
      headers: ["Last-Modified": Fixture.date(-1_000), "Date": Fixture.date(0)],
      seconds: 100,
      decidedBy: .heuristic
    ),
    Lifetime(
      rule: "4.2.2: a heuristic lifetime is a day at most",
      headers: ["Last-Modified": modified(1_000)],
      seconds: 86_400,
      decidedBy: .heuristic
    ),
    Lifetime(
      rule: "4.2.2: Last-Modified in the future gives nothing",
      headers: ["Last-Modified": Fixture.date(1_000)],
      seconds: 0,
      decidedBy: .heuristic
    ),
    Lifetime(
      rule: "4.2.2: no heuristic for a URL with a query",
      headers: ["Last-Modified": modified(10)],
      seconds: 0,
      decidedBy: .none,
      url: "https://a.org/x?y"
    ),
    Lifetime(
      rule: "4.2.1: a URL with a query may say its lifetime",
      headers: ["Cache-Control": "max-age=60"],
      seconds: 60,
      decidedBy: .maxAge,
      url: "https://a.org/x?y"
    ),
    Lifetime(
      rule: "4.2.2: no heuristic for a status that is not heuristically cacheable",
      headers: ["Last-Modified": modified(10)],
      seconds: 0,
      decidedBy: .none,
      status: 302
    ),
    Lifetime(
      rule: "4.2.2: public makes any status heuristically cacheable",
      headers: ["Last-Modified": modified(1), "Cache-Control": "public"],
      seconds: 8_640,
      decidedBy: .heuristic,
      status: 302
    ),
    Lifetime(
      rule: "4.2.1: nothing said is stale",
      headers: ["ETag": "\"a\""],
      seconds: 0,
      decidedBy: .none
    ),
    Lifetime(
      rule: "RFC 8246: immutable is a max-age of its own kind",
      headers: ["Cache-Control": "max-age=60, immutable"],
      seconds: 60,
      decidedBy: .immutable
    ),
    Lifetime(
      rule: "RFC 8246: immutable alone gives no lifetime",
      headers: ["Cache-Control": "immutable"],
      seconds: 0,
      decidedBy: .none
    ),
  ]

  @Test(arguments: lifetimes)
  func `the first rule that applies gives the lifetime`(row: Lifetime) {
    let freshness = ReusePolicy.freshness(
      of: Fixture.stored(row.headers, status: row.status, url: row.url),
      for: Fixture.request(url: row.url),
      now: Fixture.received,
      expiry: .http
    )

    #expect(freshness.lifetime == row.seconds)
    #expect(freshness.rule == row.decidedBy)
  }

  struct Age: CustomTestStringConvertible, Sendable {
    let rule: String
    let headers: HTTPHeaders
    var delay = 0.0
    var later = 0.0
    let seconds: Double

    var testDescription: String { rule }
  }

  static let ages: [Age] = [
    Age(rule: "4.2.3: nothing said is new", headers: [:], seconds: 0),
    Age(rule: "4.2.3: it ages here", headers: [:], later: 7, seconds: 7),
    Age(rule: "5.1: it aged elsewhere", headers: ["Age": "30"], later: 7, seconds: 37),
    Age(rule: "4.2.3: the delay counts", headers: ["Age": "30"], delay: 4, seconds: 34),
    Age(rule: "4.2.3: the delay counts without Age", headers: [:], delay: 4, seconds: 4),
    Age(rule: "4.2.3: apparent age", headers: ["Date": Fixture.date(-50)], seconds: 50),
    Age(
      rule: "4.2.3: the larger of both",
      headers: ["Date": Fixture.date(-50), "Age": "60"],
      delay: 1,
      seconds: 61
    ),
    Age(rule: "4.2.3: a Date ahead is none", headers: ["Date": Fixture.date(500)], seconds: 0),
    Age(rule: "4.2.3: a clock set back while waiting", headers: [:], delay: -9, seconds: 0),
    Age(rule: "4.2.3: and Age still counts", headers: ["Age": "30"], delay: -9, seconds: 30),
    Age(rule: "4.2.3: a clock set back a little", headers: ["Age": "3"], later: -50, seconds: 3),
    Age(rule: "4.2.3: a clock set back", headers: [:], later: -61, seconds: .infinity),
    Age(rule: "5.1: the first member counts", headers: ["Age": "30, 90"], seconds: 30),
    Age(rule: "5.1: the first line counts", headers: ["Age": "0", "age": "90"], seconds: 0),
    Age(rule: "5.1: a negative Age is ignored", headers: ["Age": "-30"], seconds: 0),
    Age(rule: "5.1: no number is ignored", headers: ["Age": "3.5"], seconds: 0),
    Age(rule: "1.2.2: too many digits", headers: ["Age": "99999999999"], seconds: 2_147_483_648),
  ]

  @Test(arguments: ages)
  func `the age is never below its lower bound`(row: Age) {
    let freshness = ReusePolicy.freshness(
      of: Fixture.stored(row.headers, delay: row.delay),
      for: Fixture.request(),
      now: Fixture.received + row.later,
      expiry: .http
    )

    #expect(freshness.age == row.seconds)
  }

  @Test func `4.2: a response is stale as soon as its age is its lifetime`() {
    #expect(CacheFreshness(age: 59.9, lifetime: 60, rule: .maxAge).isFresh)
    #expect(!CacheFreshness(age: 60, lifetime: 60, rule: .maxAge).isFresh)
  }

  @Test(
    arguments: [
      (CacheFreshness(age: 340.7, lifetime: 300, rule: .maxAge), "age 340 s, over 300 s (max-age)"),
      (CacheFreshness(age: 3, lifetime: 60, rule: .expires), "age 3 s, within 60 s (Expires)"),
      (
        CacheFreshness(age: 3, lifetime: .infinity, rule: .override), "age 3 s, no limit (override)"
      ),
      (CacheFreshness(age: .infinity, lifetime: 0, rule: .clock), "age unknown, over 0 s (clock)"),
    ]
  )
  func `describes itself`(freshness: CacheFreshness, text: String) {
    #expect(freshness.description == text)
  }
}
