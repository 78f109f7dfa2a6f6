import Foundation

@testable import Freshet

/// Requests and stored responses around one moment, `received`.
enum Fixture {
  static let received = Date(timeIntervalSince1970: 1_763_700_000)
  static let url = URL(string: "https://a.org/x") ?? URL(filePath: "/")

  static func request(
    _ method: HTTPMethod = .get,
    _ headers: HTTPHeaders = [:],
    url: String = "https://a.org/x"
  ) -> Request {
    Request(method, URL(string: url) ?? Self.url, headers: headers)
  }

  static func head(
    _ status: HTTPStatus = .ok,
    _ headers: HTTPHeaders = [:],
    url: String = "https://a.org/x"
  ) -> ResponseHead {
    ResponseHead(status: status, headers: headers, url: URL(string: url) ?? Self.url)
  }

  static func stored(
    _ headers: HTTPHeaders = [:],
    status: HTTPStatus = .ok,
    url: String = "https://a.org/x",
    request: HTTPHeaders = [:],
    delay: Double = 0,
    body: String = "abc"
  ) -> StoredResponse {
    StoredResponse(
      key: CacheKey(Self.request()),
      varying: VaryingFields(response: headers, request: request),
      head: head(status, headers, url: url),
      body: ResourceBody(Data(body.utf8)),
      requestTime: received - delay,
      responseTime: received
    )
  }

  /// The date as a field's value, so many seconds after `received`.
  static func date(_ seconds: Double) -> String {
    HTTPDate.format(received + seconds)
  }
}
