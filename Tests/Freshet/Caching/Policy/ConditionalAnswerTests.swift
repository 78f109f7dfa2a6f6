import Foundation
import Testing

@testable import Freshet

@Suite struct ConditionalAnswerTests {
  static let modified = Fixture.date(-1_000)

  struct Row: CustomTestStringConvertible, Sendable {
    let rule: String
    let request: HTTPHeaders
    let stored: HTTPHeaders
    let isNotModified: Bool

    var testDescription: String { rule }
  }

  static func row(
    _ rule: String,
    _ request: HTTPHeaders,
    _ stored: HTTPHeaders,
    _ isNotModified: Bool
  ) -> Row {
    Row(rule: rule, request: request, stored: stored, isNotModified: isNotModified)
  }

  static let rows: [Row] = [
    row("13.1.2: the same tag", [.ifNoneMatch: "\"a\""], [.eTag: "\"a\""], true),
    row("13.1.2: another tag", [.ifNoneMatch: "\"b\""], [.eTag: "\"a\""], false),
    row("13.1.2: weak comparison", [.ifNoneMatch: "W/\"a\""], [.eTag: "\"a\""], true),
    row("13.1.2: weak comparison", [.ifNoneMatch: "\"a\""], [.eTag: "W/\"a\""], true),
    row("13.1.2: one of a list", [.ifNoneMatch: "\"x\", W/\"a,b\""], [.eTag: "\"a,b\""], true),
    row(
      "13.1.2: one of several lines",
      ["If-None-Match": "\"x\"", "if-none-match": "\"a\""],
      [.eTag: "\"a\""],
      true
    ),
    row("13.1.2: none of a list", [.ifNoneMatch: "\"x\", \"y\""], [.eTag: "\"a\""], false),
    row("13.1.2: a star", [.ifNoneMatch: "*"], [:], true),
    row("13.1.2: nothing to compare", [.ifNoneMatch: "\"a\""], [:], false),
    row("a tag without quotation marks", [.ifNoneMatch: "a"], [.eTag: "a"], true),
    row("letters count", [.ifNoneMatch: "\"A\""], [.eTag: "\"a\""], false),
    row(
      "13.2.2: If-None-Match comes first",
      [.ifNoneMatch: "\"b\"", .ifModifiedSince: modified],
      [.eTag: "\"a\"", .lastModified: modified],
      false
    ),
    row(
      "13.2.2: If-None-Match comes first",
      [.ifNoneMatch: "\"a\"", .ifModifiedSince: Fixture.date(-2_000)],
      [.eTag: "\"a\"", .lastModified: modified],
      true
    ),
    row("13.1.3: the same date", [.ifModifiedSince: modified], [.lastModified: modified], true),
    row(
      "13.1.3: a later date",
      [.ifModifiedSince: Fixture.date(-5)],
      [.lastModified: modified],
      true
    ),
    row(
      "13.1.3: an earlier date",
      [.ifModifiedSince: Fixture.date(-1_001)],
      [.lastModified: modified],
      false
    ),
    row("13.1.3: no date", [.ifModifiedSince: "yesterday"], [.lastModified: modified], false),
    row(
      "13.1.3: several dates",
      ["If-Modified-Since": modified, "if-modified-since": modified],
      [.lastModified: modified],
      false
    ),
    row(
      "RFC 9111 4.3.2: the Date, where there is no Last-Modified",
      [.ifModifiedSince: Fixture.date(-9)],
      [.date: Fixture.date(-10)],
      true
    ),
    row(
      "RFC 9111 4.3.2: the Date, where there is no Last-Modified",
      [.ifModifiedSince: Fixture.date(-11)],
      [.date: Fixture.date(-10)],
      false
    ),
    row(
      "RFC 9111 4.3.2: when it was received, where there is no Date",
      [.ifModifiedSince: Fixture.date(0)],
      [:],
      true
    ),
    row("no condition", [:], [.eTag: "\"a\""], false),
  ]

  @Test(arguments: rows, [HTTPMethod.get, .head])
  func `RFC 9111 4.3.2: a condition is evaluated against the stored copy`(
    row: Row,
    method: HTTPMethod
  ) {
    let answer = ConditionalAnswer.answer(
      Fixture.request(method, row.request),
      from: Fixture.stored(row.stored)
    )

    #expect((answer != nil) == row.isNotModified)
  }

  @Test func `RFC 9110 15.4.5: a 304 has its required fields and no body`() throws {
    let needed: HTTPHeaders = [
      .eTag: "\"a\"", .date: Fixture.date(0), .cacheControl: "max-age=60",
      .expires: Fixture.date(60), .vary: "Accept", .contentLocation: "/y", .age: "5",
    ]
    let others: HTTPHeaders = [
      .lastModified: Self.modified, .contentType: "a/b", .contentLength: "3", "X-Other": "1",
    ]
    let request = Fixture.request(.get, [.ifNoneMatch: "\"a\""])

    let answer = try #require(
      ConditionalAnswer.answer(request, from: Fixture.stored(needed.merging(others)))
    )

    #expect(answer.head.status == .notModified)
    #expect(Set(answer.head.headers) == Set(needed))
    #expect(answer.body.length == 0)
  }

  @Test func `RFC 9110 15.4.5: a 304 has Last-Modified where there is no tag`() throws {
    let request = Fixture.request(.get, [.ifModifiedSince: Self.modified])
    let stored = Fixture.stored([.lastModified: Self.modified, .contentType: "a/b"])

    let answer = try #require(ConditionalAnswer.answer(request, from: stored))

    #expect(answer.head.headers == [.lastModified: Self.modified])
  }

  @Test(arguments: [HTTPMethod.post, .put])
  func `RFC 9110 13.1.2: a cache does not evaluate conditions of other methods`(method: HTTPMethod)
  {
    let request = Fixture.request(method, [.ifNoneMatch: "*"])

    #expect(ConditionalAnswer.answer(request, from: Fixture.stored()) == nil)
  }

  @Test func `RFC 9110 13.2.1: a condition is ignored for an error response`() {
    let request = Fixture.request(.get, [.ifNoneMatch: "*"])

    #expect(ConditionalAnswer.answer(request, from: Fixture.stored(status: 404)) == nil)
  }
}
