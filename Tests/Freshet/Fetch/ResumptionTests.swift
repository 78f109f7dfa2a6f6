import Foundation
import Testing

@testable import Freshet

/// The decisions about a body that has not arrived whole.
@Suite struct ResumptionTests {
  static let whole: HTTPHeaders = [.eTag: "\"v1\"", .contentLength: "10"]

  @Test(
    arguments: [
      ([.eTag: "\"v1\""], [:], 200, "\"v1\""), ([.eTag: "W/\"v1\""], [:], 200, nil),
      ([.eTag: "v1"], [:], 200, nil), ([:], [:], 200, nil), (whole, [:], 206, nil),
      (whole, [:], 203, nil), ([.eTag: "\"v1\"", .contentEncoding: "gzip"], [:], 200, nil),
      ([.eTag: "\"v1\"", "Accept-Ranges": "none"], [:], 200, nil),
      ([.eTag: "\"v1\"", .contentEncoding: "Identity"], [:], 200, "\"v1\""),
      ([.eTag: "\"v1\"", .contentEncoding: ""], [:], 200, "\"v1\""),
      (whole, [.range: "bytes=0-5"], 200, nil),
      ([.lastModified: Fixture.date(-60), .date: Fixture.date(0)], [:], 200, Fixture.date(-60)),
      ([.lastModified: Fixture.date(-59), .date: Fixture.date(0)], [:], 200, nil),
      ([.lastModified: Fixture.date(-60)], [:], 200, nil),
      (
        [.eTag: "W/\"v1\"", .lastModified: Fixture.date(-60), .date: Fixture.date(0)], [:], 200, nil
      ),
    ] as [(HTTPHeaders, HTTPHeaders, HTTPStatus, String?)]
  )
  func `only a strong validator makes a body resumable`(
    response: HTTPHeaders,
    asked: HTTPHeaders,
    status: HTTPStatus,
    condition: String?
  ) {
    let request = Fixture.request(.get, asked)

    let resumption = Resumption(
      request,
      Fixture.head(status, response),
      receivedAt: Fixture.received,
      length: 4
    )

    #expect(resumption?.request(request).headers[.ifRange] == condition)
    #expect((resumption == nil) == (condition == nil))
  }

  @Test(arguments: [(4, nil, "bytes=4-"), (4, "10", "bytes=4-"), (10, "10", "bytes=9-")])
  func `asks for at least one byte`(length: Int64, total: String?, range: String) throws {
    var headers: HTTPHeaders = [.eTag: "\"v1\""]
    headers[.contentLength] = total
    let request = Fixture.request(.get, [.ifNoneMatch: "\"v0\""])

    let resumption = try #require(
      Resumption(
        request,
        Fixture.head(200, headers),
        receivedAt: Fixture.received,
        length: length
      )
    )

    #expect(resumption.request(request).headers[.range] == range)
    #expect(resumption.request(request).headers[.ifNoneMatch] == "\"v0\"")
  }

  static let part: HTTPHeaders = [.eTag: "\"v1\"", .contentRange: "bytes 4-9/10"]

  static let verdicts: [(String, HTTPStatus, HTTPHeaders, String, Bool?)] = [
    ("the rest", 206, part, "https://a.org/x", true),
    ("the rest of an unknown whole", 206, changed(.contentRange, "bytes 4-9/*"), "", true),
    ("the rest with its length", 206, changed(.contentLength, "6"), "", true),
    ("a piece of the rest", 206, changed(.contentRange, "bytes 4-7/10"), "", true),
    ("another version", 206, changed(.eTag, "\"v2\""), "", nil),
    ("a weak version", 206, changed(.eTag, "W/\"v1\""), "", nil),
    ("no version", 206, changed(.eTag, nil), "", nil),
    ("another place", 206, changed(.contentRange, "bytes 5-9/10"), "", nil),
    ("from the beginning", 206, changed(.contentRange, "bytes 0-9/10"), "", nil),
    ("another whole", 206, changed(.contentRange, "bytes 4-9/11"), "", nil),
    ("no place", 206, changed(.contentRange, nil), "", nil),
    ("several parts", 206, changed(.contentRange, "multipart"), "", nil),
    ("no bytes", 206, changed(.contentRange, "bytes */10"), "", nil),
    ("another unit", 206, changed(.contentRange, "items 4-9/10"), "", nil),
    ("another length", 206, changed(.contentLength, "7"), "", nil),
    ("an encoded part", 206, changed(.contentEncoding, "gzip"), "", nil),
    ("a part without a coding", 206, changed(.contentEncoding, "identity"), "", true),
    ("another URL", 206, part, "https://b.org/x", nil),
    ("another query", 206, part, "https://a.org/x?1", nil),
    ("no such range", 416, [.contentRange: "bytes */10"], "", nil),
    ("an encoded whole", 200, [.contentEncoding: "gzip"], "", nil),
    ("the whole", 200, [.eTag: "\"v2\""], "", false),
    ("the same whole", 200, whole, "", false),
    ("the rest as a whole", 200, whole.merging([.contentLength: "6"]), "", nil),
  ]

  private static func changed(_ name: HTTPHeaders.Name, _ value: String?) -> HTTPHeaders {
    var headers = part
    headers[name] = value
    return headers
  }

  @Test(arguments: verdicts)
  func `14.4: a contradicting response is not appended`(
    name: String,
    status: HTTPStatus,
    headers: HTTPHeaders,
    url: String,
    appends: Bool?
  ) throws {
    let resumption = try #require(
      Resumption(
        Fixture.request(),
        Fixture.head(200, Self.whole),
        receivedAt: Fixture.received,
        length: 4
      )
    )
    let answer = Fixture.head(status, headers, url: url.isEmpty ? "https://a.org/x" : url)

    switch (resumption.verdict(on: answer), appends) {
    case (.append, true), (.replace, false), (.restart, nil): break
    case (let verdict, _): Issue.record("\(verdict)")
    }
  }

  @Test(
    arguments: [
      ("https://a.org/x?1", whole, true), ("https://a.org/y", whole, false),
      ("https://b.org/x", whole, false), ("https://a.org/x?1", dated, false),
    ] as [(String, HTTPHeaders, Bool)]
  )
  func `with an expected digest, a tag is also that of another query`(
    url: String,
    validator: HTTPHeaders,
    appends: Bool
  ) throws {
    let resumption = try #require(
      Resumption(
        Fixture.request(),
        Fixture.head(200, validator),
        receivedAt: Fixture.received,
        length: 4
      )
    )
    let part = validator.merging([.contentLength: "6", .contentRange: "bytes 4-9/10"])

    let verdict = resumption.verdict(on: Fixture.head(206, part, url: url), isVerified: true)

    #expect((verdict == .append) == appends)
  }

  static let dated: HTTPHeaders = [
    .lastModified: Fixture.date(-60), .date: Fixture.date(0),
  ]

  @Test func `RFC 9110 8.8.3: a tag in another Unicode spelling is that of another version`() throws
  {
    let (tag, other) = ("\"\u{E9}\"", "\"e\u{301}\"")
    let head = Fixture.head(200, [.eTag: tag, .contentLength: "10"])
    let resumption = try #require(
      Resumption(Fixture.request(), head, receivedAt: Fixture.received, length: 4)
    )
    let validator = try #require(StrongValidator(head, receivedAt: Fixture.received))
    let part: (String) -> ResponseHead = {
      Fixture.head(206, [.eTag: $0, .contentRange: "bytes 4-9/10"])
    }

    #expect(resumption.verdict(on: part(tag)) == .append)
    #expect(
      resumption.verdict(on: part(other))
        == .restart(because: "the part belongs to another version")
    )
    #expect(validator == StrongValidator(part(tag), receivedAt: Fixture.received))
    #expect(validator != StrongValidator(part(other), receivedAt: Fixture.received))
    for (condition, isMet) in [(tag, true), (other, false)] {
      let request = Fixture.request(.get, [.range: "bytes=0-1", .ifRange: condition])
      #expect(PartQuestion(request)?.accepts(validator) == isMet)
      let answer = PartialAnswer.answer(request, from: Fixture.stored([.eTag: tag]))
      #expect((answer != nil) == isMet)
    }
  }

  @Test(arguments: [("bytes 4-7/*", false), ("bytes 4-7/10", true)])
  func `14.4: nothing is appended when the total length is unknown`(
    range: String,
    appends: Bool
  ) throws {
    let resumption = try #require(
      Resumption(
        Fixture.request(),
        Fixture.head(200, [.eTag: "\"v1\""]),
        receivedAt: Fixture.received,
        length: 4
      )
    )

    let verdict = resumption.verdict(
      on: Fixture.head(206, [.eTag: "\"v1\"", .contentRange: range])
    )

    #expect((verdict == .append) == appends)
  }

  @Test(arguments: [(2_026, true), (2_040, false)])
  func `4.2: two-digit years are read relative to the response's time`(
    year: Int,
    isOld: Bool
  ) throws {
    let received = Date(timeIntervalSince1970: Double(year - 1_970) * 31_556_952)
    let head = Fixture.head(
      200,
      [
        .date: HTTPDate.format(received), .lastModified: "Tuesday, 01-Jan-80 00:00:00 GMT",
      ]
    )

    // In 2040, it is one of 2080: no second has passed since.
    #expect((StrongValidator(head, receivedAt: received) != nil) == isOld)
  }

  @Test(arguments: [304, 404, 412, 500, 503] as [HTTPStatus])
  func `other responses are delivered unchanged`(status: HTTPStatus) throws {
    let resumption = try #require(
      Resumption(
        Fixture.request(),
        Fixture.head(200, Self.whole),
        receivedAt: Fixture.received,
        length: 4
      )
    )

    #expect(resumption.verdict(on: Fixture.head(status)) == .other)
  }

  @Test func `3.4: the complete response has the part's newer fields and its own length`() throws {
    let resumption = try #require(
      Resumption(
        Fixture.request(),
        Fixture.head(
          200,
          [
            .eTag: "\"v1\"", .contentLength: "10", .contentType: "a/b", "X": "1",
            "Content-Digest": "whole",
          ]
        ),
        receivedAt: Fixture.received,
        length: 4
      )
    )

    let merged = resumption.merged(
      Fixture.head(
        206,
        [
          .eTag: "\"v1\"", .contentLength: "6", .contentRange: "bytes 4-9/10", "X": "2",
          "Content-Digest": "part", .cacheControl: "max-age=5",
        ]
      )
    )

    #expect(merged.status == 200)
    #expect(
      Set(merged.headers)
        == Set(
          [
            .eTag: "\"v1\"", .contentLength: "10", .contentType: "a/b", "X": "2",
            "Content-Digest": "whole", .cacheControl: "max-age=5",
          ] as HTTPHeaders
        )
    )
  }
}
