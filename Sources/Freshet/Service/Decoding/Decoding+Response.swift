#if canImport(FoundationNetworking)
public import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

extension Decoding {
  /// Decodes a response that is there already.
  ///
  /// It runs where it is called; decoding takes as long as the body is large.
  ///
  /// - Parameter response: The response with its body.
  /// - Returns: The response with the value; the raw body, the envelope and what was left out stay
  ///   with it.
  /// - Throws: ``FreshetError/status(_:body:)`` for a status outside of 2xx,
  ///   ``FreshetError/decoding(_:head:body:)`` for a body that is not the value, and
  ///   ``FreshetError/cancelled``.
  public func value(of response: Response<Data>) throws(FreshetError) -> Response<Value> {
    try decode(response)
  }

  /// Decodes what other networking code has received, such as `URLSession`.
  ///
  /// It runs where it is called; decoding takes as long as the body is large.
  ///
  /// ```swift
  /// let users = try Decoding<[User]>.lenient().value(of: data, response)
  /// ```
  ///
  /// - Parameters:
  ///   - data: The whole body.
  ///   - response: The response's head.
  ///   - payload: Where in the body the value stands; it is the whole by default.
  /// - Returns: The value.
  /// - Throws: ``FreshetError/status(_:body:)`` for a status outside of 2xx,
  ///   ``FreshetError/decoding(_:head:body:)`` for a body that is not the value, and
  ///   ``FreshetError/cancelled``.
  public func value(
    of data: Data,
    _ response: HTTPURLResponse,
    at payload: PayloadPath = PayloadPath()
  ) throws(FreshetError) -> Value {
    let response = Response(data, response)
    guard !payload.isEmpty else { return try decode(response).value }
    return try decode(try response.unwrapped(at: payload, absent: .deferred)).value
  }
}
