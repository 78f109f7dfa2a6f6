public import Foundation

extension AsyncSequence
where Self: Sendable, Element == Event<Response<Data>>, Failure: PipelineFailure {
  /// Decodes bodies, unless the server says that they are something else.
  ///
  /// ```swift
  /// let user = client.send(.get("users/7")).decode(User.self, contentType: .json)
  /// ```
  ///
  /// - Parameters:
  ///   - type: The type that bodies become.
  ///   - types: The media types that bodies may have, such as ``ContentTypes/json``.
  /// - Returns: The same events, with the guarantees of `decode(_:)` and `validate(contentType:)`.
  public func decode<Value: Decodable & Sendable>(
    _ type: Value.Type,
    contentType types: ContentTypes
  ) -> some AsyncSequence<Event<Response<Value>>, Failure> & Sendable {
    decode(type, as: .standard, contentType: types)
  }

  /// Decodes bodies in another way than from JSON, unless the server says that they are something else.
  ///
  /// - Parameters:
  ///   - type: The type that bodies become.
  ///   - decoding: How, such as ``Decoding/propertyList`` or ``Decoding/lenient(with:)``.
  ///   - types: The media types that bodies may have.
  /// - Returns: The same events, with the guarantees of `decode(_:as:)` and `validate(contentType:)`.
  public func decode<Value: Sendable>(
    _ type: Value.Type,
    as decoding: Decoding<Value>,
    contentType types: ContentTypes
  ) -> some AsyncSequence<Event<Response<Value>>, Failure> & Sendable {
    DecodeSequence(
      base: ValidateContentTypeSequence(base: self, types: types, target: "\(Value.self)"),
      decoding: decoding
    )
  }
}
