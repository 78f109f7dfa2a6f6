public import Foundation
public import Freshet

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

extension Decoding {
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
  /// - Throws: `FreshetError/status(_:body:)` for a status outside of 2xx,
  ///   `FreshetError/decoding(_:head:body:)` for a body that is not the value, and
  ///   `FreshetError/cancelled`.
  public func value(
    of data: Data,
    _ response: HTTPURLResponse,
    at payload: PayloadPath = PayloadPath()
  ) throws(FreshetError) -> Value {
    try value(of: Response(data, response), at: payload).value
  }
}
