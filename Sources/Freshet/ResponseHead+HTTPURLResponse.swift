#if canImport(FoundationNetworking)
public import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

extension ResponseHead {
  /// Makes a head from a response of Foundation's.
  ///
  /// Foundation joins repeated fields by commas; cookies are separated again. The URL is that of
  /// the response, after redirects.
  public init(_ response: HTTPURLResponse) {
    self.init(response, url: response.url ?? URL(filePath: "/"))
  }

  init(_ response: HTTPURLResponse, url: URL) {
    let fields = response.allHeaderFields.flatMap { name, value -> [HTTPHeaders.Field] in
      guard let name = name as? String, let value = value as? String else { return [] }
      let field = HTTPHeaders.Name(name)
      // Repeated fields are joined, and a cookie's value may contain commas.
      let values = field == .setCookie ? JoinedCookies.split(value) : [value]
      return values.map { HTTPHeaders.Field(name: field, value: $0) }
    }
    self.init(status: HTTPStatus(response.statusCode), headers: HTTPHeaders(fields), url: url)
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
