import Foundation
import Freshet
import FreshetFoundation
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct ForeignResponseTests {
  private struct Problem: Decodable, Equatable { var message: String }

  private func answer(
    _ url: String,
    _ status: Int = 200,
    _ fields: [String: String] = [:]
  ) throws -> HTTPURLResponse {
    let url = try #require(URL(string: url))
    let response = HTTPURLResponse(
      url: url,
      statusCode: status,
      httpVersion: nil,
      headerFields: fields
    )
    return try #require(response)
  }

  private func request(_ url: String, _ method: String = "GET") throws -> URLRequest {
    var request = URLRequest(url: try #require(URL(string: url)))
    request.httpMethod = method
    return request
  }

  @Test func `a response of Foundation's keeps status, fields, URL and body`() throws {
    let fields = ["x-id": "7", "Set-Cookie": "a=1; Expires=Thu, 01 Jan 2026 00:00:00 GMT, b=2"]

    let response = Response(Data("x".utf8), try answer("https://a.org/b", 404, fields))

    #expect(response.status == .notFound)
    #expect(response.headers["X-Id"] == "7")
    #expect(response.headers[values: .setCookie].count == 2)
    #expect(response.head.url.absoluteString == "https://a.org/b")
    #expect(response.body == Data("x".utf8))
  }

  @Test func `routes by the original request and not by the final URL`() throws {
    let router = try Router(
      basePath: "v1",
      [Route("users/*", User.self), Route("users", User.self).on(.post)]
    )
    let data = Data(#"{"id":7,"name":"A"}"#.utf8)
    let user = User(id: 7, name: "A")
    let moved = try answer("https://a.org/elsewhere")

    let one = try request("https://a.org/v1/users/7")
    #expect(try router.decode(User.self, from: data, moved, for: one) == user)
    let post = try request("https://a.org/v1/users", "POST")
    #expect(try router.decode(from: data, moved, for: post) == user)
    #expect(throws: RouteError.self) {
      try router.decode(User.self, from: data, moved, for: request("https://a.org/v1/users"))
    }
    let there = try answer("https://a.org/v1/users/7")
    #expect(try router.decode(User.self, from: data, there) == user)
    #expect(try router.decode(User?.self, from: Data(), there) == nil)
  }

  @Test func `an error response is a rejection with its model`() throws {
    let router = try Router([Route("*", User.self), Route(error: Problem.self)])
    let data = Data(#"{"message":"none"}"#.utf8)

    let error = try #require(throws: RouteError.self) {
      try router.decode(User.self, from: data, answer("https://a.org/x", 404, ["X-Id": "7"]))
    }

    guard case .rejected(let rejection) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(rejection.model(as: Problem.self) == Problem(message: "none"))
    #expect(rejection.response.headers["X-Id"] == "7")
  }

  @Test func `a decoding reads a body and its head`() throws {
    let latin = try answer("https://a.org/x", 200, ["Content-Type": "text/plain; charset=latin1"])

    #expect(try Decoding<String>.text.value(of: Data([0xE9]), latin) == "é")
    let page = Data(#"{"data":{"items":[1,2]},"next":null}"#.utf8)
    #expect(try Decoding<[Int]>.json.value(of: page, latin, at: "data.items") == [1, 2])
    #expect(try Decoding<Int?>.json.value(of: page, latin, at: "next") == nil)
    #expect(try Decoding<User?>.json.value(of: Data(), answer("https://a.org/x", 204)) == nil)
  }

  @Test func `a decoding refuses an error status, and names the place of an error`() throws {
    let status = try #require(throws: FreshetError.self) {
      try Decoding<Int>.json.value(of: Data("1".utf8), answer("https://a.org/x", 500))
    }
    let wrong = try #require(throws: FreshetError.self) {
      try Decoding<User>.json
        .value(
          of: Data(#"{"data":[{"id":7}]}"#.utf8),
          answer("https://a.org/x"),
          at: "data.0"
        )
    }

    guard case .status(let head, _) = status, case .decoding(let failure, _, _) = wrong else {
      Issue.record("\(status), \(wrong)")
      return
    }
    #expect(head.status.rawValue == 500)
    #expect(failure.keyPath == "data[0].name")
  }

  @Test func `skipped elements stay with the response`() throws {
    let response = Response(Data(#"[1,"x",3]"#.utf8), try answer("https://a.org/x"))

    let numbers = try Decoding<[Int]>.lenient().value(of: response)

    #expect(numbers.value == [1, 3])
    #expect(numbers.skipped.map(\.keyPath) == ["[1]"])
  }
}
