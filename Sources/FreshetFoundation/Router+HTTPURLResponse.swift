public import Foundation
public import Freshet

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

extension Router {
  /// Decodes a response that other networking code has received as the model of its route.
  ///
  /// It runs on the caller's thread; the time is proportional to the size of the body.
  ///
  /// ```swift
  /// let user = try router.decode(User.self, from: data, response, for: urlRequest)
  /// ```
  ///
  /// - Parameters:
  ///   - type: The requested type, see `decode(_:from:for:)`.
  ///   - data: The whole body.
  ///   - response: The response's head.
  ///   - request: The original request, before redirects: its method and its path select the route.
  ///     Without one, or one without a URL, it is a `GET` of the response's URL.
  /// - Returns: The model.
  /// - Throws: `RouteError`, for the reasons of `decode(_:from:for:)`.
  public func decode<Value: Sendable>(
    _ type: Value.Type = Value.self,
    from data: Data,
    _ response: HTTPURLResponse,
    for request: URLRequest? = nil
  ) throws(RouteError) -> Value {
    let response = Response(data, response)
    let url = request?.url ?? response.head.url
    let asked = Request(HTTPMethod(request?.httpMethod ?? "GET"), url.absoluteURL)
    return try decode(type, from: response, for: asked)
  }
}
