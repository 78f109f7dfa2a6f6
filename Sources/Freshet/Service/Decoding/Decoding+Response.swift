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
    try response.requireAccepted()
    if let absence = response.record.absence {
      guard let none = (Value.self as? any Absent.Type)?.absent as? Value else {
        throw response.decodingFailure(of: "\(Value.self)", absence.rawValue)
      }
      return response.replacing(none)
    }
    let outcome = try decode(response.source, of: response.body)
    var decoded = response.replacing(outcome.value)
    decoded.record.skipped = outcome.skipped
    if let envelope = outcome.envelope { decoded.record.envelope = envelope }
    return decoded
  }

  /// Decodes the payload at a path of the body; the whole body for an empty path.
  package func value(
    of response: Response<Data>,
    at payload: PayloadPath
  ) throws(FreshetError) -> Response<Value> {
    guard !payload.isEmpty else { return try value(of: response) }
    return try value(of: try response.unwrapped(at: payload))
  }
}
