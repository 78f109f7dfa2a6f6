public import FreshetEssentials

extension AsyncSequence
where Self: Sendable, Element == Event<Response<Data>>, Failure: PipelineFailure {
  /// Decodes bodies.
  ///
  /// - Decoding runs off the caller's actor. Cancelling the task ends it between the elements of a
  ///   top-level array; other bodies are decoded to their end first.
  /// - An empty body, as after 204, 205 or HEAD, is an error unless the type is optional or ``EmptyResponse``.
  /// - The sequence ends with the first failure, also for several pages.
  /// - The raw body stays available as ``Response/body``.
  /// - An error response that no stage above has accepted fails with
  ///   ``FreshetError/status(_:body:)``, even if its body could be decoded.
  ///
  /// - Parameters:
  ///   - type: The type of the decoded bodies.
  ///   - decoding: The decoding, such as ``Decoding/propertyList``, ``Decoding/text`` or
  ///     ``Decoding/lenient(keys:with:)``.
  /// - Returns: The events with decoded values; the sequence fails with
  ///   ``FreshetError/decoding(_:head:body:)``, which contains the key path and a short excerpt
  ///   without secrets.
  public func decode<Value: Sendable>(
    _ type: Value.Type,
    as decoding: Decoding<Value>
  ) -> some AsyncSequence<Event<Response<Value>>, Failure> & Sendable {
    decoded(by: decoding)
  }

  /// Decodes bodies from JSON, see ``Decoding/json``; for `Data`, the bytes are returned unchanged.
  ///
  /// Also a `String` is one of JSON, in quotation marks; other text is decoded with ``Decoding/text``.
  ///
  /// - Parameter type: The type of the decoded bodies.
  /// - Returns: The events with decoded values.
  public func decode<Value: Decodable & Sendable>(
    _ type: Value.Type
  ) -> some AsyncSequence<Event<Response<Value>>, Failure> & Sendable {
    decoded(by: .standard)
  }

  /// Decodes bodies from JSON whose members stand elsewhere than the model's properties say.
  ///
  /// ```swift
  /// let people = client.send(.get("people"))
  ///   .unwrap(at: "results")
  ///   .decode([Person].self, keys: ["firstName": "name.first", "picture": "picture.medium"])
  /// ```
  ///
  /// - Parameters:
  ///   - type: The type of the values.
  ///   - keys: The paths of properties, see ``Decoding/json(keys:_:)``.
  /// - Returns: The same events.
  public func decode<Value: Decodable & Sendable>(
    _ type: Value.Type,
    keys: [String: PayloadPath]
  ) -> some AsyncSequence<Event<Response<Value>>, Failure> & Sendable {
    decoded(by: .json(keys: keys))
  }

  /// Decodes bodies.
  ///
  /// - Parameters:
  ///   - decoding: The decoding.
  ///   - stageDescription: The stage as it is written; `.decode` of the type by default.
  /// - Returns: The events with decoded values.
  func decoded<Value: Sendable>(
    by decoding: Decoding<Value>,
    _ stageDescription: String = ".decode(\(Value.self))"
  ) -> ConvertSequence<Self, Event<Response<Value>>, Failure> {
    ConvertSequence(self, stageDescription) { response throws(FreshetError) in
      try await decoding.decode(apart: response)
    }
  }
}
