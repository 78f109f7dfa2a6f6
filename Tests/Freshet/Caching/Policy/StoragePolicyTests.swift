import Foundation
import Testing

@testable import Freshet

@Suite struct StoragePolicyTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let rule: String
    var method: HTTPMethod
    var request: HTTPHeaders
    var status: HTTPStatus
    var response: HTTPHeaders
    var expiry: ExpiryPolicy
    let reason: StoragePolicy.Reason?

    init(
      _ rule: String,
      _ method: HTTPMethod = .get,
      request: HTTPHeaders = [:],
      status: HTTPStatus = 200,
      response: HTTPHeaders = ["Cache-Control": "max-age=60"],
      expiry: ExpiryPolicy = .http,
      _ reason: StoragePolicy.Reason?
    ) {
      self.rule = rule
      self.method = method
      self.request = request
      self.status = status
      self.response = response
      self.expiry = expiry
      self.reason = reason
    }

    var testDescription: String { rule }
  }

  static func control(_ value: String) -> HTTPHeaders { [.cacheControl: value] }

  static let rows: [Row] = [
    Row("3: GET", .get, nil),
    Row("3: HEAD has no body", .head, .method),
    Row("3: methods that are not understood", HTTPMethod("BREW"), .method),
    Row("3: PUT", .put, .method),
    Row("3: OPTIONS", .options, .method),
    Row("3: informational statuses are not final", status: 103, .status),
    Row("3: 206 is not understood", status: 206, .status),
    Row("3: 304 is about another response", status: 304, .status),
    Row(
      "RFC 3229 10.4.1: 226 is about the copy that a condition names",
      request: [.ifNoneMatch: "\"a\"", "A-IM": "diffe"],
      status: 226,
      .status
    ),
    Row("3: what is no status", status: 600, .status),
    Row("RFC 6585 3: 428", status: 428, .status),
    Row("RFC 6585 4: 429", status: 429, .status),
    Row("RFC 6585 5: 431", status: 431, .status),
    Row("RFC 6585 6: 511", status: 511, .status),
    Row("3: a failure of the server with a lifetime", status: 503, nil),
    Row("3: a failure of the server without one", status: 503, response: [:], .notCacheable),
    Row("3: an unknown failure with a lifetime", status: 599, nil),
    Row("401 asks for credentials", status: 401, .status),
    Row("407 asks for credentials", status: 407, .status),
    Row(
      "5.2.2.3: failures of the server are understood",
      status: 503,
      response: control("must-understand, no-store, max-age=60"),
      nil
    ),
    Row(
      "5.2.2.3: unknown ones are not",
      status: 599,
      response: control("must-understand, max-age=60"),
      .mustUnderstand
    ),
    Row("3: the response's no-store", response: control("no-store, max-age=60"), .noStore),
    Row("5.2.1.5: the request's no-store", request: control("no-store"), .noStore),
    Row("5.2.2.5: no override", response: control("no-store"), expiry: .never, .noStore),
    Row("5.2.1.5: no override", request: control("no-store"), expiry: .always, .noStore),
    Row("5.2.2.7: private", response: control("private"), nil),
    Row("5.2.2.7: private with fields", response: control("private=\"X\""), nil),
    Row("3.5: Authorization in a private cache", request: [.authorization: "Bearer x"], nil),
    Row(
      "Set-Cookie in a private cache",
      response: [.setCookie: "a=b", .cacheControl: "max-age=1"],
      nil
    ),
    Row("5.2.2.4: no-cache may be stored", response: control("no-cache"), nil),
    Row(
      "5.2.2.3: must-understand without no-store",
      status: 299,
      response: control("must-understand, max-age=60"),
      .mustUnderstand
    ),
    Row(
      "5.2.2.3: must-understand overrules no-store for a known status",
      response: control("must-understand, no-store, max-age=60"),
      nil
    ),
    Row(
      "5.2.2.3: and not for an unknown one",
      status: 299,
      response: control("must-understand, no-store, max-age=60"),
      .mustUnderstand
    ),
    Row(
      "5.2.2.3: the request's no-store stays",
      request: control("no-store"),
      response: control("must-understand, no-store, max-age=60"),
      .noStore
    ),
    Row("4.1: Vary: *", response: ["Vary": "*", "Cache-Control": "max-age=60"], .varyAll),
    Row("4.1: Vary: * among others", response: ["Vary": "Accept", "vary": "a, *"], .varyAll),
    Row(
      "4.1: a Vary of a thousand names",
      response: [.vary: (1...1_000).map { "X-\($0)" }.joined(separator: ",")],
      .varyAll
    ),
    Row("3: a status that is heuristically cacheable", response: [:], nil),
    Row("3: 404 is too", status: 404, response: [:], nil),
    Row("3: 501 is too", status: 501, response: [:], nil),
    Row("3: 302 is not", status: 302, response: [:], .notCacheable),
    Row("3: 302 with max-age", status: 302, nil),
    Row("3: 302 with Expires", status: 302, response: ["Expires": "0"], nil),
    Row("3: 302 with public", status: 302, response: control("public"), nil),
    Row("3: 302 with private", status: 302, response: control("private"), nil),
    Row(
      "3: s-maxage is for shared caches",
      status: 302,
      response: control("s-maxage=9"),
      .notCacheable
    ),
    Row("3: an unknown status with max-age", status: 299, nil),
    Row("an unknown success without anything", status: 299, response: [:], .notCacheable),
    Row("with an override", status: 299, response: [:], expiry: .after(.seconds(1)), nil),
    Row(
      "no override for what is no success",
      status: 302,
      response: [:],
      expiry: .never,
      .notCacheable
    ),
    Row("3.3: the answer to a range", request: [.range: "bytes=0-"], .partial),
    Row("4.3.3: a full response to a condition", request: [.ifNoneMatch: "\"a\""], nil),
    Row("4.3.3: a condition of the origin's", request: [.ifMatch: "\"a\""], nil),
    Row("an error about a condition", request: [.ifMatch: "\"a\""], status: 412, .conditional),
    Row("an error beside a condition", request: [.ifNoneMatch: "*"], status: 404, .conditional),
    Row("RFC 9110 9.3.3: POST without Content-Location", .post, .method),
    Row(
      "RFC 9110 9.3.3: POST with lifetime and Content-Location",
      .post,
      response: ["Cache-Control": "max-age=60", "Content-Location": "/x"],
      nil
    ),
    Row(
      "RFC 9110 9.3.3: POST without lifetime",
      .post,
      response: ["Content-Location": "/x", "Last-Modified": Fixture.date(-999)],
      .method
    ),
    Row(
      "RFC 9110 9.3.3: POST with another Content-Location",
      .post,
      response: ["Cache-Control": "max-age=60", "Content-Location": "/y"],
      .method
    ),
    Row(
      "RFC 9110 9.3.3: POST with another host's Content-Location",
      .post,
      response: ["Cache-Control": "max-age=60", "Content-Location": "https://b.org/x"],
      .method
    ),
  ]

  @Test(arguments: rows)
  func `RFC 9111 3: decides which responses may be stored`(row: Row) {
    let storability = StoragePolicy.storability(
      of: Fixture.head(row.status, row.response),
      for: Fixture.request(row.method, row.request),
      expiry: row.expiry
    )

    #expect(storability == (row.reason.map { .notStorable($0) } ?? .storable))
  }

  @Test(arguments: [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501] as [HTTPStatus])
  func `RFC 9110 15.1: statuses that are heuristically cacheable`(status: HTTPStatus) {
    #expect(
      StoragePolicy.storability(of: Fixture.head(status), for: Fixture.request()) == .storable
    )
  }

  @Test func `a GET with a body is not stored`() {
    var request = Fixture.request()
    request.body = .text("query")

    #expect(
      StoragePolicy.storability(of: Fixture.head(), for: request) == .notStorable(.requestBody)
    )
  }

  @Test func `RFC 9110 9.3.3: the response to a POST answers a later GET`() {
    let key = StoragePolicy.key(for: Fixture.request(.post), partition: "ann")

    #expect(key == CacheKey(Fixture.request(), partition: "ann"))
  }

  @Test func `3.1: fields of the connection and of proxies are not stored`() {
    let head = Fixture.head(
      200,
      [
        "Connection": "close, X-Hop", "X-Hop": "1", "Keep-Alive": "1", "Proxy-Authenticate": "x",
        "Proxy-Authentication-Info": "x", "Transfer-Encoding": "chunked", "TE": "x",
        "Upgrade": "h2c", "X-Unknown": "1", "Cache-Control": "no-cache=\"Set-Cookie\"",
        "Set-Cookie": "a=b", "Content-Type": "text/html",
      ]
    )

    let names = StoragePolicy.stored(head).headers.map(\.name.rawValue)

    #expect(names == ["X-Unknown", "Cache-Control", "Content-Type"])
  }

  @Test func `3.1: cookies and challenges are not stored`() {
    let head = Fixture.head(
      200,
      [
        "Set-Cookie": "a=b", "Set-Cookie2": "a=b", "WWW-Authenticate": "Negotiate a",
        "Authentication-Info": "a=b", "X-Unknown": "1",
      ]
    )

    #expect(StoragePolicy.stored(head).headers.map(\.name.rawValue) == ["X-Unknown"])
  }
}
