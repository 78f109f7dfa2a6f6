import Foundation
import Testing

@testable import Freshet

@Suite struct ReusePolicyTests {
  enum Outcome: Sendable, Equatable {
    case fresh
    case stale(Reuse.StaleReason, Reuse.StaleUses)
    case unusable(Reuse.UnusableReason)

    init(_ reuse: Reuse) {
      self =
        switch reuse {
        case .fresh: .fresh
        case .stale(_, let reason, let uses): .stale(reason, uses.subtracting(.announced))
        case .unusable(let reason): .unusable(reason)
        }
    }
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let rule: String
    var request: HTTPHeaders = [:]
    var response: HTTPHeaders = ["Cache-Control": "max-age=60"]
    var age = 10.0
    var expiry = ExpiryPolicy.http
    let outcome: Outcome

    init(
      _ rule: String,
      request: HTTPHeaders = [:],
      response: HTTPHeaders = ["Cache-Control": "max-age=60"],
      age: Double = 10,
      expiry: ExpiryPolicy = .http,
      _ outcome: Outcome
    ) {
      self.rule = rule
      self.request = request
      self.response = response
      self.age = age
      self.expiry = expiry
      self.outcome = outcome
    }

    var testDescription: String { rule }
  }

  static func control(_ value: String) -> HTTPHeaders { [.cacheControl: value] }

  static let response: [Row] = [
    Row("4: a fresh response is reused", .fresh),
    Row("4: a stale response is validated", age: 60, .stale(.expired, .onError)),
    Row(
      "4.2.4: nothing said may be shown when disconnected",
      response: [:],
      .stale(.expired, .onError)
    ),
    Row(
      "5.2.2.4: no-cache is never used unvalidated",
      response: control("no-cache, max-age=60"),
      .stale(.responseNoCache, [])
    ),
    Row(
      "5.2.2.4: nor on errors, nor with max-stale",
      request: control("max-stale"),
      response: control("no-cache, max-age=5, stale-while-revalidate=99, stale-if-error=99"),
      .stale(.responseNoCache, [])
    ),
    Row(
      "5.2.2.4: no-cache with a field that is still there counts in full",
      response: ["Cache-Control": "no-cache=\"X-Y\", max-age=60", "x-y": "1"],
      .stale(.responseNoCache, [])
    ),
    Row(
      "5.2.2.4: no-cache with a field that is gone does not",
      response: control("no-cache=\"X-Y\", max-age=60"),
      .fresh
    ),
    Row(
      "5.2.2.2: must-revalidate does not matter while fresh",
      response: control("must-revalidate, max-age=60"),
      .fresh
    ),
    Row(
      "5.2.2.2: must-revalidate forbids all use of stale responses",
      request: control("max-stale, stale-if-error=99"),
      response: control(
        "must-revalidate, max-age=60, stale-while-revalidate=99, stale-if-error=99"
      ),
      age: 70,
      .stale(.expired, [])
    ),
    Row(
      "5.2.2.8: proxy-revalidate is for shared caches",
      response: control("proxy-revalidate, max-age=60"),
      age: 70,
      .stale(.expired, .onError)
    ),
    Row(
      "5.4: a response's Pragma means nothing",
      response: ["Pragma": "no-cache", "Cache-Control": "max-age=60"],
      .fresh
    ),
    Row(
      "RFC 5861 3: used within the window while it is validated",
      response: control("max-age=60, stale-while-revalidate=10"),
      age: 70,
      .stale(.expired, [.whileRevalidating, .onError])
    ),
    Row(
      "RFC 5861 3: not after it",
      response: control("max-age=60, stale-while-revalidate=10"),
      age: 70.5,
      .stale(.expired, .onError)
    ),
    Row(
      "RFC 5861 4: used on errors within the window",
      response: control("max-age=60, stale-if-error=10"),
      age: 70,
      .stale(.expired, .onError)
    ),
    Row(
      "RFC 5861 4: not after it",
      response: control("max-age=60, stale-if-error=10"),
      age: 71,
      .stale(.expired, [])
    ),
    Row(
      "RFC 5861 4: a request narrows the window",
      request: control("stale-if-error=5"),
      response: control("max-age=60, stale-if-error=10"),
      age: 66,
      .stale(.expired, [])
    ),
    Row(
      "4.2.3: a clock set back makes no response fresh, nor shows it unvalidated",
      request: control("max-stale=999"),
      response: control("max-age=60, stale-while-revalidate=999"),
      age: -100,
      .stale(.expired, .onError)
    ),
    Row(
      "4.2.3: the clock's correction by seconds is forgiven",
      age: -5,
      .fresh
    ),
  ]

  static let request: [Row] = [
    Row(
      "5.2.1.4: the request's no-cache validates",
      request: control("no-cache"),
      .stale(.requestNoCache, [])
    ),
    Row(
      "5.4: Pragma: no-cache is the same",
      request: ["Pragma": "x, No-Cache"],
      .stale(.requestNoCache, [])
    ),
    Row(
      "5.4: unless there is Cache-Control",
      request: ["Pragma": "no-cache", "Cache-Control": "max-stale=1"],
      .fresh
    ),
    Row("5.2.1.1: young enough for max-age", request: control("max-age=10"), .fresh),
    Row(
      "5.2.1.1: too old for max-age",
      request: control("max-age=9"),
      .stale(.requestMaxAge, [])
    ),
    Row(
      "5.2.1.1: max-age=0 validates what has just come",
      request: control("max-age=0"),
      age: 0,
      .stale(.requestMaxAge, [])
    ),
    Row(
      "5.2.1.1: a malformed max-age validates",
      request: control("max-age=x"),
      .stale(.requestMaxAge, [])
    ),
    Row(
      "5.2.1.1: max-age wants nothing stale",
      request: control("max-age=999"),
      response: control("max-age=60, stale-while-revalidate=999"),
      age: 70,
      .stale(.expired, [])
    ),
    Row(
      "5.2.1.1: unless max-stale is there",
      request: control("max-age=999, max-stale=10"),
      age: 70,
      .stale(.expired, [.asIs, .onError])
    ),
    Row(
      "5.2.1.1: max-stale does not overrule max-age",
      request: control("max-age=65, max-stale=10"),
      age: 70,
      .stale(.expired, [])
    ),
    Row(
      "RFC 5861 4: a request with max-age may allow errors",
      request: control("max-age=5, stale-if-error=60"),
      .stale(.requestMaxAge, .onError)
    ),
    Row("5.2.1.3: fresh for long enough", request: control("min-fresh=50"), .fresh),
    Row(
      "5.2.1.3: not fresh for long enough",
      request: control("min-fresh=51"),
      .stale(.requestMinFresh, [])
    ),
    Row(
      "5.2.1.3: min-fresh accepts nothing stale",
      request: control("min-fresh=1, max-stale"),
      age: 70,
      .stale(.expired, [])
    ),
    Row(
      "5.2.1.2: max-stale accepts within its window",
      request: control("max-stale=10"),
      age: 70,
      .stale(.expired, [.asIs, .onError])
    ),
    Row(
      "5.2.1.2: and not after it",
      request: control("max-stale=10"),
      age: 71,
      .stale(.expired, .onError)
    ),
    Row(
      "5.2.1.2: max-stale without a number accepts any",
      request: control("max-stale"),
      age: 1e9,
      .stale(.expired, [.asIs, .onError])
    ),
    Row(
      "5.2.1.2: a malformed max-stale accepts none",
      request: control("max-stale=x"),
      age: 70,
      .stale(.expired, .onError)
    ),
    Row(
      "5.2.1.5: the request's no-store does not forbid reuse",
      request: control("no-store"),
      .fresh
    ),
    Row("5.2.1.6: no-transform means nothing here", request: control("no-transform"), .fresh),
    Row(
      "RFC 8246 2: a reload does not validate what is immutable",
      request: control("max-age=0"),
      response: control("max-age=60, immutable"),
      .fresh
    ),
    Row(
      "RFC 8246 2: whatever gives it its lifetime",
      request: control("max-age=0"),
      response: [.cacheControl: "immutable", .date: Fixture.date(0), .expires: Fixture.date(60)],
      .fresh
    ),
    Row(
      "RFC 8246 2: who asks for another age than a reload's gets none that is older",
      request: control("max-age=5"),
      response: control("max-age=60, immutable"),
      .stale(.requestMaxAge, [])
    ),
    Row(
      "5.2.2.6: no-transform means nothing here",
      response: control("max-age=60, no-transform"),
      .fresh
    ),
    Row(
      "RFC 8246 2: once it is stale it does",
      request: control("max-age=0"),
      response: control("max-age=60, immutable"),
      age: 61,
      .stale(.expired, [])
    ),
    Row(
      "RFC 8246 2: a forced reload does too",
      request: control("no-cache"),
      response: control("max-age=60, immutable"),
      .stale(.requestNoCache, [])
    ),
    Row("4.3.2: a fresh response answers conditions", request: [.ifNoneMatch: "\"a\""], .fresh),
    Row("4.3.2: a fresh response answers conditions", request: [.ifModifiedSince: "x"], .fresh),
    Row(
      "4.3.2: about a stale one the origin is asked as the request asks",
      request: [.ifNoneMatch: "\"a\""],
      age: 60,
      .unusable(.conditional)
    ),
    Row(
      "RFC 9110 13: conditions",
      request: [.ifNoneMatch: "\"a\"", .ifUnmodifiedSince: "x"],
      .unusable(.conditional)
    ),
    Row("RFC 9110 13: conditions", request: [.ifRange: "\"a\""], .unusable(.conditional)),
    Row("RFC 9110 13: conditions", request: [.ifMatch: "*"], .unusable(.conditional)),
    Row("RFC 9110 14: parts", request: [.range: "bytes=0-1"], .unusable(.partial)),
  ]

  static let overrides: [Row] = [
    Row("never expires", response: control("no-cache"), age: 1e9, expiry: .never, .fresh),
    Row("never expires, whatever the clock", age: -1e9, expiry: .never, .fresh),
    Row("always expires", age: 0, expiry: .always, .stale(.expired, .onError)),
    Row("fresh for as long as told", response: [:], age: 59, expiry: .after(.seconds(60)), .fresh),
    Row(
      "and stale after that",
      response: control("max-age=999"),
      age: 60,
      expiry: .after(.seconds(60)),
      .stale(.expired, .onError)
    ),
    Row(
      "counted from when it was received",
      response: ["Age": "5000"],
      age: 59,
      expiry: .after(.seconds(60)),
      .fresh
    ),
    Row(
      "takes the place of must-revalidate",
      response: control("must-revalidate"),
      age: 61,
      expiry: .after(.seconds(60)),
      .stale(.expired, .onError)
    ),
    Row(
      "a negative duration is always",
      age: 0,
      expiry: .after(.seconds(-1)),
      .stale(.expired, .onError)
    ),
    Row(
      "a clock set back makes no response fresh",
      age: -100,
      expiry: .after(.seconds(60)),
      .stale(.expired, .onError)
    ),
    Row(
      "the request still counts",
      request: control("no-cache"),
      expiry: .never,
      .stale(.requestNoCache, [])
    ),
  ]

  @Test(arguments: response)
  func `the response decides its reuse`(row: Row) {
    expect(row)
  }

  @Test(arguments: request)
  func `the request restricts the reuse`(row: Row) {
    expect(row)
  }

  @Test(arguments: overrides)
  func `the client's policy can override the lifetime`(row: Row) {
    expect(row)
  }

  private func expect(_ row: Row) {
    let reuse = ReusePolicy.reuse(
      Fixture.stored(row.response),
      for: Fixture.request(.get, row.request),
      now: Fixture.received + row.age,
      expiry: row.expiry
    )

    #expect(Outcome(reuse) == row.outcome)
  }

  @Test(
    arguments: [
      (HTTPMethod.get, Outcome.fresh), (.head, .fresh), (.post, .unusable(.method)),
      (.delete, .unusable(.method)), (.options, .unusable(.method)),
      (HTTPMethod("BREW"), .unusable(.method)),
    ]
  )
  func `4: unsafe and unknown methods are written through`(method: HTTPMethod, outcome: Outcome) {
    let reuse = ReusePolicy.reuse(
      Fixture.stored(["Cache-Control": "max-age=60"]),
      for: Fixture.request(method),
      now: Fixture.received
    )

    #expect(Outcome(reuse) == outcome)
  }

  @Test func `4: a request with a body is not answered by a response without one`() {
    var request = Fixture.request()
    request.body = .text("query")

    let reuse = ReusePolicy.reuse(
      Fixture.stored(["Cache-Control": "max-age=60"]),
      for: request,
      now: Fixture.received
    )

    #expect(Outcome(reuse) == .unusable(.body))
  }

  @Test(
    arguments: [
      ("Accept", "a", Outcome.fresh), ("Accept", "b", .unusable(.vary)),
      ("*", "a", .unusable(.vary)), ("X, *", "a", .unusable(.vary)),
    ]
  )
  func `4.1: the fields that Vary names must match`(vary: String, accept: String, outcome: Outcome)
  {
    let stored = Fixture.stored(
      ["Cache-Control": "max-age=60", "Vary": vary],
      request: ["Accept": "a"]
    )

    let reuse = ReusePolicy.reuse(
      stored,
      for: Fixture.request(.get, ["Accept": accept]),
      now: Fixture.received
    )

    #expect(Outcome(reuse) == outcome)
  }

  @Test(
    arguments: [
      ("https://a.org/y", ExpiryPolicy.http, Outcome.stale(.expired, .onError)),
      ("https://a.org/y", .after(.seconds(60)), .fresh), ("HTTPS://A.org:443/x#f", .http, .fresh),
    ]
  )
  func `4: a redirected response is validated`(
    url: String,
    expiry: ExpiryPolicy,
    outcome: Outcome
  ) {
    let stored = Fixture.stored(
      ["Cache-Control": "max-age=60, stale-while-revalidate=99"],
      url: url
    )

    let reuse = ReusePolicy.reuse(
      stored,
      for: Fixture.request(),
      now: Fixture.received,
      expiry: expiry
    )

    #expect(Outcome(reuse) == outcome)
  }

  @Test(arguments: [
    ("only-if-cached", true), ("max-age=1, Only-If-Cached", true), ("no-cache", false),
  ])
  func `5.2.1.7: only-if-cached sends no request`(value: String, isForbidden: Bool) {
    #expect(
      ReusePolicy.forbidsNetwork(Fixture.request(.get, [.cacheControl: value])) == isForbidden
    )
  }

  static let answers: [(HTTPStatus, Bool)] = [
    (500, true), (502, true), (503, true), (504, true), (501, false), (200, false), (404, false),
    (304, false),
  ]

  @Test(arguments: answers)
  func `4.3.3, RFC 5861 4: the responses that count as failures`(
    status: HTTPStatus,
    isFailure: Bool
  ) {
    #expect(ReusePolicy.isFailure(status) == isFailure)
  }

  @Test(arguments: [
    ("max-age=60", true),
    ("max-age=60, stale-if-error=0", true),
    ("max-age=60, must-revalidate", false),
    ("no-cache", false),
  ])
  func `4.2.4: a stale copy can be announced unless its response forbids stale use`(
    control: String,
    isAnnounced: Bool
  ) {
    let stored = Fixture.stored(["Cache-Control": control])

    let reuse = ReusePolicy.reuse(
      stored,
      for: Fixture.request(),
      now: Fixture.received + 100
    )

    guard case .stale(_, _, let uses) = reuse else {
      Issue.record("\(reuse)")
      return
    }
    #expect(uses.contains(.announced) == isAnnounced)
  }
}
