import Foundation
import Testing

@testable import Freshet

@Suite struct ValidationTests {
  static let date = Fixture.date(-1_000)

  @Test func `4.3.1: sends both validators`() throws {
    let stored = Fixture.stored(["ETag": "W/\"a\"", "Last-Modified": Self.date])

    let request = Validation.conditional(Fixture.request(.get, ["Accept": "b"]), for: stored)

    #expect(
      request?.headers
        == ["Accept": "b", .ifNoneMatch: "W/\"a\"", .ifModifiedSince: Self.date]
    )
    #expect(request?.method == .get)
  }

  static let unconditional: [(HTTPHeaders, HTTPHeaders, HTTPStatus)] = [
    ([:], [:], 200), ([:], ["ETag": ""], 200), ([:], ["ETag": "\"a\u{1}b\""], 200),
    ([:], ["Last-Modified": "yesterday"], 200),
    ([:], ["ETag": "\"a\""], 404), ([.range: "bytes=0-"], ["ETag": "\"a\""], 200),
    ([.ifNoneMatch: "\"b\""], ["ETag": "\"a\""], 200),
    ([.ifModifiedSince: Self.date], ["ETag": "\"a\""], 200),
    ([.ifMatch: "\"b\""], ["ETag": "\"a\""], 200),
    ([.ifUnmodifiedSince: Self.date], ["ETag": "\"a\""], 200),
  ]

  @Test(arguments: unconditional)
  func `4.3.1: sends no condition without a validator or beside another`(
    request: HTTPHeaders,
    response: HTTPHeaders,
    status: HTTPStatus
  ) {
    let stored = Fixture.stored(response, status: status)

    #expect(Validation.conditional(Fixture.request(.get, request), for: stored) == nil)
  }

  @Test func `4.3.1: validates only what is safe to repeat`() {
    let stored = Fixture.stored(["ETag": "\"a\""])

    #expect(Validation.conditional(Fixture.request(.post), for: stored) == nil)
  }

  @Test func `4.3.1: sends a tag back unchanged`() {
    let stored = Fixture.stored(["ETag": "unquoted"])

    #expect(
      Validation.conditional(Fixture.request(), for: stored)?.headers[.ifNoneMatch] == "unquoted"
    )
  }

  static let answers: [(String, HTTPHeaders, HTTPHeaders, Bool)] = [
    ("the same strong tag", ["ETag": "\"a\""], ["ETag": "\"a\""], true),
    ("another strong tag", ["ETag": "\"b\""], ["ETag": "\"a\""], false),
    ("a strong tag for a weak one", ["ETag": "\"a\""], ["ETag": "W/\"a\""], true),
    ("another strong tag for a weak one", ["ETag": "\"b\""], ["ETag": "W/\"a\""], false),
    ("a strong tag for none", ["ETag": "\"a\""], ["Last-Modified": date], false),
    ("the same weak tag", ["ETag": "W/\"a\""], ["ETag": "W/\"a\""], true),
    ("a weak tag for a strong one", ["ETag": "W/\"a\""], ["ETag": "\"a\""], true),
    ("another weak tag", ["ETag": "W/\"b\""], ["ETag": "W/\"a\""], false),
    ("the same date", ["Last-Modified": date], ["Last-Modified": date], true),
    ("another date", ["Last-Modified": Fixture.date(0)], ["Last-Modified": date], false),
    ("no validator", [:], ["ETag": "\"a\""], true),
    ("a tag without quotation marks", ["ETag": "a"], ["ETag": "a"], true),
  ]

  @Test(arguments: answers)
  func `4.3.4: a 304 updates the response that it selects`(
    name: String,
    answer: HTTPHeaders,
    stored: HTTPHeaders,
    isAccepted: Bool
  ) {
    #expect(
      Validation.accepts(Fixture.head(304, answer), for: Fixture.stored(stored)) == isAccepted
    )
  }

  @Test(arguments: [
    ("\"\u{E9}\"", "\"e\u{301}\""), ("W/\"\u{E9}\"", "W/\"e\u{301}\""), ("\u{E9}", "e\u{301}"),
  ])
  func `RFC 9110 8.8.3: two Unicode spellings are two tags`(tag: String, other: String) {
    let stored = Fixture.stored([.eTag: tag])

    #expect(Validation.accepts(Fixture.head(304, [.eTag: tag]), for: stored))
    #expect(!Validation.accepts(Fixture.head(304, [.eTag: other]), for: stored))
    #expect(!Validation.isSame(Fixture.head(200, [.eTag: other]), as: stored))
    #expect(Validation.contradicts(Fixture.head(200, [.eTag: other]), stored))
    let answers = [tag, other].map { Fixture.request(.get, [.ifNoneMatch: $0]) }
      .map { ConditionalAnswer.answer($0, from: stored) != nil }
    #expect(answers == [true, false])
  }

  @Test func `4.3.4: a 304 of another URL updates nothing`() {
    let head = Fixture.head(304, ["ETag": "\"1\""], url: "https://a.org/y")

    #expect(!Validation.accepts(head, for: Fixture.stored(["ETag": "\"1\""])))
  }

  @Test func `4.3.3: a full response is not a validation`() {
    #expect(!Validation.accepts(Fixture.head(200), for: Fixture.stored()))
  }

  static let heads: [(String, HTTPHeaders, HTTPHeaders, Bool)] = [
    ("the same tag", ["ETag": "\"a\""], ["ETag": "\"a\""], true),
    ("the same tag, weak", ["ETag": "W/\"a\""], ["ETag": "\"a\""], true),
    ("another tag", ["ETag": "\"b\""], ["ETag": "\"a\""], false),
    ("a tag where there was none", ["ETag": "\"a\""], ["Last-Modified": date], false),
    (
      "the same tag and another date",
      ["ETag": "\"a\"", "Last-Modified": Fixture.date(0)],
      ["ETag": "\"a\"", "Last-Modified": date],
      false
    ),
    (
      "the same tag and another length",
      ["ETag": "\"a\"", "Content-Length": "4"],
      ["ETag": "\"a\"", "Content-Length": "3"],
      false
    ),
    ("the same date", ["Last-Modified": date], ["Last-Modified": date], true),
    ("another date", ["Last-Modified": Fixture.date(0)], ["Last-Modified": date], false),
    (
      "the same date and length",
      ["Last-Modified": date, "Content-Length": "03"],
      ["Last-Modified": date, "Content-Length": "3"],
      true
    ),
    (
      "the length of the body",
      ["Last-Modified": date, "Content-Length": "3"],
      ["Last-Modified": date],
      true
    ),
    (
      "not the length of the body",
      ["Last-Modified": date, "Content-Length": "4"],
      ["Last-Modified": date],
      false
    ),
    (
      "a coded length",
      ["Last-Modified": date, "Content-Length": "2", "Content-Encoding": "gzip"],
      ["Last-Modified": date],
      true
    ),
    ("nothing to compare", ["Content-Length": "3"], ["Content-Length": "3"], false),
  ]

  @Test(arguments: heads)
  func `4.3.5: a HEAD response is compared with the stored one`(
    name: String,
    answer: HTTPHeaders,
    stored: HTTPHeaders,
    isSame: Bool
  ) {
    #expect(Validation.isSame(Fixture.head(200, answer), as: Fixture.stored(stored)) == isSame)
  }

  static let contradictions: [(String, HTTPHeaders, HTTPHeaders, Bool)] = [
    ("the same tag", ["ETag": "W/\"a\""], ["ETag": "\"a\""], false),
    ("another tag", ["ETag": "\"b\""], ["ETag": "\"a\""], true),
    ("a tag where there was none", ["ETag": "\"a\""], ["Last-Modified": date], false),
    ("no tag where there was one", ["Last-Modified": date], ["ETag": "\"a\""], false),
    ("another date", ["Last-Modified": Fixture.date(0)], ["Last-Modified": date], true),
    (
      "the same tag and another date", ["ETag": "\"a\"", "Last-Modified": Fixture.date(0)],
      ["ETag": "\"a\"", "Last-Modified": date], true
    ),
    ("the same length", ["Content-Length": "3"], ["Content-Length": "03"], false),
    ("another length", ["Content-Length": "4"], ["Content-Length": "3"], true),
    ("not the length of the body", ["Content-Length": "4"], [:], true),
    ("a coded length", ["Content-Length": "4", "Content-Encoding": "gzip"], [:], false),
    ("nothing", [:], [:], false),
  ]

  @Test(arguments: contradictions)
  func `4.3.5: a HEAD response contradicts the stored one by fields of both`(
    name: String,
    answer: HTTPHeaders,
    stored: HTTPHeaders,
    isContradicted: Bool
  ) {
    #expect(
      Validation.contradicts(Fixture.head(200, answer), Fixture.stored(stored)) == isContradicted
    )
  }

  @Test(arguments: [404, 206, 503] as [HTTPStatus])
  func `4.3.5: another status is a change`(status: HTTPStatus) {
    let head = Fixture.head(status, ["ETag": "\"a\""])

    #expect(!Validation.isSame(head, as: Fixture.stored(["ETag": "\"a\""])))
  }

  @Test func `4.3.5: requests the head only`() {
    var request = Fixture.request(.get, ["Accept": "a"])
    request.priority = .high

    let head = Validation.head(request)

    #expect(head.method == .head)
    #expect(head.headers == request.headers)
    #expect(head.priority == .high)
  }

  @Test func `3.2: new fields replace stored ones`() {
    let stored = Fixture.head(
      200,
      [
        "ETag": "\"a\"", "Cache-Control": "max-age=1", "X": "1", "x": "2", "Content-Length": "3",
        "Content-Encoding": "gzip", "Content-Type": "a/b", "Age": "500", "Date": Self.date,
      ]
    )
    let answer = Fixture.head(
      304,
      [
        "Cache-Control": "max-age=60", "X": "3", "Content-Length": "0", "Content-Type": "c/d",
        "Content-Encoding": "br", "Content-Range": "bytes 0-1/2", "Connection": "X-Hop",
        "X-Hop": "1", "Transfer-Encoding": "chunked", "New": "1", "new": "2",
      ]
    )

    let merged = Validation.merged(answer, into: stored)

    #expect(merged.status == 200)
    #expect(
      Set(merged.headers)
        == Set(
          [
            "ETag": "\"a\"", "Cache-Control": "max-age=60", "X": "3", "Content-Length": "3",
            "Content-Encoding": "gzip", "Content-Type": "c/d", "New": "1", "new": "2",
          ] as HTTPHeaders
        )
    )
  }

  @Test(arguments: [
    ("W/\"a\"", "\"a\"", "W/\"a\""), ("\"a\"", "W/\"a\"", "W/\"a\""), ("W/\"a\"", nil, "W/\"a\""),
  ])
  func `a weak tag does not become strong`(stored: String, new: String?, expected: String) {
    var answer = Fixture.head(304)
    answer.headers[.eTag] = new

    let merged = Validation.merged(answer, into: Fixture.head(200, ["ETag": stored]))

    #expect(merged.headers[.eTag] == expected)
  }

  @Test func `4.3.4: a validated response is as young as its validation`() {
    let head = Validation.merged(
      Fixture.head(304),
      into: Fixture.head(
        200,
        ["Age": "500", "Date": Fixture.date(-900), "Cache-Control": "max-age=60"]
      )
    )
    let stored = Fixture.stored(head.headers)

    #expect(stored.record.initialAge == 0)
  }
}
