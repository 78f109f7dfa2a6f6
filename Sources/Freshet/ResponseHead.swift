public import Foundation

/// A response without its body: status, headers and where they came from.
public struct ResponseHead: Sendable, Hashable {
  /// The status code.
  public var status: HTTPStatus
  /// The header fields as they were received, trailers excluded.
  public var headers: HTTPHeaders
  /// The URL that answered: after redirects, another one than was asked for.
  public var url: URL

  /// Makes a head.
  public init(status: HTTPStatus, headers: HTTPHeaders, url: URL) {
    self.status = status
    self.headers = headers
    self.url = url
  }
}
