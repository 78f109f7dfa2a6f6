public import FreshetEssentials

extension AsyncSequence
where Self: Sendable, Element == Event<Response<Data>>, Failure: PipelineFailure {
  /// Decodes bodies, unless they have another media type.
  ///
  /// ```swift
  /// let user = client.send(.get("users/7")).decode(User.self, contentType: .json)
  /// ```
  ///
  /// - Parameters:
  ///   - type: The type of the decoded bodies.
  ///   - types: The media types that bodies may have, such as ``ContentTypes/json``.
  /// - Returns: The events, with the guarantees of `decode(_:)` and `validate(contentType:)`.
  public func decode<Value: Decodable & Sendable>(
    _ type: Value.Type,
    contentType types: ContentTypes
  ) -> some AsyncSequence<Event<Response<Value>>, Failure> & Sendable {
    decode(type, as: .standard, contentType: types)
  }

  /// Decodes bodies with a decoding of your own, unless they have another media type.
  ///
  /// - Parameters:
  ///   - type: The type of the decoded bodies.
  ///   - decoding: The decoding, such as ``Decoding/propertyList`` or ``Decoding/lenient(keys:with:)``.
  ///   - types: The media types that bodies may have.
  /// - Returns: The events, with the guarantees of `decode(_:as:)` and `validate(contentType:)`.
  public func decode<Value: Sendable>(
    _ type: Value.Type,
    as decoding: Decoding<Value>,
    contentType types: ContentTypes
  ) -> some AsyncSequence<Event<Response<Value>>, Failure> & Sendable {
    validated(contentType: types, for: "\(Value.self)").decoded(by: decoding)
  }
}
