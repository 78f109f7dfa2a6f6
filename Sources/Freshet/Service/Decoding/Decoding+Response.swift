#if canImport(FoundationNetworking)
public import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

extension Decoding {
  /// Decodes a response that has been received already.
  ///
  /// It runs on the caller's thread; the time is proportional to the size of the body.
  ///
  /// - Parameter response: The response with its body.
  /// - Returns: The response with the value; the raw body, the envelope and the skipped elements
  ///   stay with it.
  /// - Throws: ``FreshetError/status(_:body:)`` for a status outside of 2xx,
  ///   ``FreshetError/decoding(_:head:body:)`` for a body that is not the value, and
  ///   ``FreshetError/cancelled``.
  public func value(of response: Response<Data>) throws(FreshetError) -> Response<Value> {
    try decode(response)
  }

  /// Decodes a response that other networking code has received, such as `URLSession`.
  ///
  /// It runs on the caller's thread; the time is proportional to the size of the body.
  ///
  /// ```swift
  /// let users = try Decoding<[User]>.lenient().value(of: data, response)
  /// ```
  ///
  /// - Parameters:
  ///   - data: The whole body.
  ///   - response: The response's head.
  ///   - payload: The path of the value in the body; the whole body by default.
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
