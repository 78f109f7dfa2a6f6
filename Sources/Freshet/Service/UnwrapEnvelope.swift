public import FreshetEssentials

extension AsyncSequence
where Self: Sendable, Element == Event<Response<Data>>, Failure: PipelineFailure {
  /// Extracts the payload from an envelope that is a model of your own.
  ///
  /// - The envelope stays with the response, typed: ``Response/envelope(as:)``.
  /// - The envelope's model decides whether the payload may be missing or `null`: if the property
  ///   is not optional, its absence is an error.
  /// - The body is parsed once, off the caller's actor.
  ///
  /// - Parameters:
  ///   - type: The type of the envelope.
  ///   - decoding: The decoding of the envelope; JSON by default.
  /// - Returns: The events, with the payloads as values; the sequence fails with
  ///   ``FreshetError/decoding(_:head:body:)`` if the body is not the envelope, and with
  ///   ``FreshetError/status(_:body:)`` for an error response that no stage above has accepted.
  public func unwrap<Wrapper: Envelope>(
    as type: Wrapper.Type,
    with decoding: Decoding<Wrapper> = .json
  ) -> some AsyncSequence<Event<Response<Wrapper.Payload>>, Failure> & Sendable {
    decoded(by: .unwrapping(type, with: decoding), ".unwrap(as: \(type))")
  }
}
