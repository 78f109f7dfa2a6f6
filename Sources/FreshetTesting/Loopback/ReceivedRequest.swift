public import Freshet
public import FreshetEssentials

extension LoopbackServer {
  /// A request as the server received it.
  public struct ReceivedRequest: Sendable {
    /// Its position in the order of arrival over all connections, from 1.
    public let number: Int
    /// The number of its connection in the order of acceptance, from 1.
    public let connection: Int
    /// The method.
    public let method: HTTPMethod
    /// The request target as it was sent, with its query: `/search?q=a%20b`.
    public let target: String
    /// The target's path as it was sent, without query: `/search`.
    public let path: String
    /// The minor version of HTTP/1: 1, or 0.
    public let minorVersion: Int
    /// The header fields in the order in which they were sent.
    public let headers: HTTPHeaders
    /// The body; empty if the route only counts or does not read it.
    public let body: Data
    /// The length of the body in bytes, without the framing of its chunks.
    public let bodyLength: Int64
    /// The fields after a chunked body.
    public let trailers: HTTPHeaders

    /// The target's query as it was sent, without the question mark, or `nil`.
    public var query: String? {
      target.firstIndex(of: "?").map { String(target[target.index(after: $0)...]) }
    }
  }
}
