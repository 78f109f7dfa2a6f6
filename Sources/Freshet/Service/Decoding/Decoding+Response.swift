public import FreshetEssentials

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

  /// Decodes the payload at a path of the body; the whole body for an empty path.
  package func value(
    of response: Response<Data>,
    at payload: PayloadPath
  ) throws(FreshetError) -> Response<Value> {
    guard !payload.isEmpty else { return try decode(response) }
    return try decode(try response.unwrapped(at: payload))
  }
}
