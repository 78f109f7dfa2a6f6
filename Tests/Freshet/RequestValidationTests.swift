import Foundation
import Freshet
import Testing

@Suite struct RequestValidationTests {
  let request: Request

  init() throws {
    request = try Request("https://a.org/")
  }

  @Test(arguments: ["", "a b", "a:", "a\r\nb", "a\u{0}", "ü", "a\u{7F}", "(a)"])
  func `refuses a header name that is not a token`(name: String) throws {
    var request = request
    request.headers.add("s3cret", for: HTTPHeaders.Name(name))

    let error = try #require(throws: FreshetError.self) { try request.validate() }

    #expect(error.kind == "invalidRequest")
    #expect(!error.description.contains("s3cret"))
  }

  @Test(arguments: ["\r", "\n", "\r\n", "\u{0}", "\u{7F}", "\u{1B}"])
  func `refuses control characters in a header's value and names the field`(
    text: String
  ) throws {
    var request = request
    request.headers["X-Token"] = "s3cret\(text)X: y"

    let error = try #require(throws: FreshetError.self) { try request.validate() }

    #expect(error.description.contains("“X-Token”"))
    #expect(!error.description.contains("s3cret"))
  }

  @Test(arguments: ["", "a\tb", "a b", "ü", "\u{80}", "日本", "\"\\"])
  func `allows tabs, spaces and bytes beyond ASCII in values`(value: String) throws {
    var request = request
    request.headers["X"] = value

    try request.validate()
  }

  @Test(arguments: [(HTTPMethod.get, false), (.head, false), (.post, true), (.delete, true)])
  func `refuses a multipart form where content has no meaning`(
    method: HTTPMethod,
    isAllowed: Bool
  ) throws {
    let form = MultipartBody([.text("a", "b")])
    var request = request
    request.method = method
    request.body = try .multipart(form)

    let error = isAllowed ? nil : #expect(throws: FreshetError.self) { try request.validate() }

    if isAllowed { try request.validate() }
    #expect(isAllowed || error?.description.contains("multipart form") == true)
    request.body = .bytes(Data("{}".utf8), contentType: .json)
    #expect(throws: Never.self) { try request.validate() }
  }

  @Test(arguments: ["", "GET /x HTTP/1.1\r\n", "GE T", "GÊT"])
  func `refuses a method that is not a token`(method: String) {
    var request = request
    request.method = HTTPMethod(method)

    #expect(throws: FreshetError.self) { try request.validate() }
  }

  @Test(arguments: ["ftp://a.org/", "file:///x", "/x", "http:///x", "https://u:p@a.org/"])
  func `refuses URLs that were not checked before`(text: String) throws {
    var request = request
    request.url = try #require(URL(string: text))

    #expect(throws: FreshetError.self) { try request.validate() }
  }

  @Test func `refuses a media type that would break out of its header`() {
    var request = request
    request.body = .bytes(Data(), contentType: MediaType("text", "x\r\nEvil: 1"))

    #expect(throws: FreshetError.self) { try request.validate() }
  }

  @Test(arguments: ["4", "+3", "x", "3, 3", ""])
  func `refuses a length that differs from the body's`(length: String) {
    var request = request
    request.body = .bytes(Data("abc".utf8))
    request.headers[.contentLength] = length

    #expect(throws: FreshetError.self) { try request.validate() }
  }

  @Test func `allows the body's length`() throws {
    var request = request
    request.body = .bytes(Data("abc".utf8))
    request.headers[.contentLength] = "3"

    try request.validate()
  }

  @Test func `refuses framing fields, which the transport sets`() {
    var request = request
    request.headers[.transferEncoding] = "chunked"

    #expect(throws: FreshetError.self) { try request.validate() }
  }

  @Test(arguments: ["0", "3", "x"])
  func `refuses any length beside a stream of unknown length`(length: String) throws {
    var request = request
    request.body = .stream { AsyncThrowingStream<Data, any Error> { $0.finish() } }
    request.headers[.contentLength] = length

    let error = try #require(throws: FreshetError.self) { try request.validate() }

    #expect(error.description.contains("“Content-Length”"))
  }
}
