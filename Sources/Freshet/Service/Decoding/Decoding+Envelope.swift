import FreshetEssentials

extension Decoding {
  /// Decodes the payload of an envelope; the envelope stays with the response,
  /// ``Response/envelope(as:)``.
  ///
  /// Use it for an endpoint, a route, or `decode`.
  ///
  /// ```swift
  /// struct ListUsers: Endpoint {
  ///   var path: RequestPath { "users" }
  ///   var decoding: Decoding<[User]> { .unwrapping(Page<User>.self) }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - wrapper: The type of the envelope.
  ///   - decoding: The decoding of the envelope; JSON by default.
  /// - Returns: The decoding; it fails if the body is not the envelope. Without a body there is no
  ///   payload, which is an error unless it is optional or ``EmptyResponse``.
  public static func unwrapping<Wrapper: Envelope>(
    _ wrapper: Wrapper.Type,
    with decoding: Decoding<Wrapper> = .json
  ) -> Decoding where Value == Wrapper.Payload {
    Decoding(decoding.contentTypes) { source in
      if source.isEmpty, let none = (Value.self as? any Absent.Type)?.absent as? Value {
        return Outcome(value: none)
      }
      let outcome = try decoding.run(source)
      return Outcome(
        value: outcome.value.payload,
        skipped: outcome.skipped,
        envelope: outcome.value
      )
    }
  }
}
