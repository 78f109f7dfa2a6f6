import Foundation
import Freshet
import Testing

/// What `print` and `dump` show.
@Suite struct DescriptionTests {
  private static let secret = "hunter2"

  private func texts(_ value: Any) -> [String] {
    var dumped = ""
    dump(value, to: &dumped)
    return ["\(value)", String(reflecting: value), dumped]
  }

  private func request() throws -> Request {
    try Request(.put, to: "https://a.test/x?token=hunter2#hunter2") {
      $0.headers = [.authorization: "Bearer hunter2", "X-Name": "Ann"]
    }
  }

  private func head() throws -> ResponseHead {
    let headers: HTTPHeaders = [
      .setCookie: "a=hunter2", .location: "/y?access_token=hunter2&page=2",
      "Link": "<https://a.test/x?access_token=hunter2&page=2>; rel=next",
    ]
    return ResponseHead(status: 302, headers: headers, url: try request().url)
  }

  @Test func `requests and responses show no secrets`() throws {
    let (request, head) = (try request(), try head())
    let redirect = Redirect(head: head, target: request.url, method: .get)
    let values: [Any] = [
      request, head, redirect, head.headers, Array(head.headers), TransferEvent.head(head),
      TransferEvent.redirected(redirect), Response(head: head, value: 1),
    ]

    for value in values {
      for text in texts(value) { #expect(!text.contains(Self.secret), "\(text)") }
    }
  }

  @Test func `requests and responses show what they are`() throws {
    #expect("\(try request())" == "PUT https://a.test/x")
    #expect("\(try head())" == "302 from https://a.test/x")
    let redirect = Redirect(head: try head(), target: try request().url, method: .get)
    #expect("\(redirect)" == "302 from https://a.test/x, then GET https://a.test/x")
    #expect("\(try head().headers)".contains("Location: /y?access_token=redacted&page=2"))
    #expect("\(try head().headers)".contains("page=2>; rel=next"))
  }
}
