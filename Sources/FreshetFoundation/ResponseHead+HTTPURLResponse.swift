public import Foundation
public import Freshet

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

extension ResponseHead {
  /// Makes a head from a response of Foundation's.
  ///
  /// Foundation joins repeated fields by commas; cookies are separated again. The URL is that of
  /// the response, after redirects.
  public init(_ response: HTTPURLResponse) {
    self.init(
      status: response.statusCode,
      joinedFields: response.allHeaderFields,
      url: response.url ?? URL(filePath: "/")
    )
  }
}

extension Response<Data> {
  /// Makes a response from data that other networking code has received, such as `URLSession`.
  ///
  /// ```swift
  /// let (data, answer) = try await session.data(for: urlRequest)
  /// guard let answer = answer as? HTTPURLResponse else { return }
  /// let response = Response(data, answer)
  /// ```
  ///
  /// - Parameters:
  ///   - data: The whole body.
  ///   - response: The head of the response.
  public init(_ data: Data, _ response: HTTPURLResponse) {
    self.init(head: ResponseHead(response), value: data)
  }
}
