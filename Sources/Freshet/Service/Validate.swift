public import FreshetEssentials

extension AsyncSequence
where Self: Sendable, Element == Event<Response<Data>>, Failure: PipelineFailure {
  /// Fails for a status outside of 2xx with ``FreshetError/status(_:body:)``, which contains head and body.
  ///
  /// The sequence ends with the first such response, also for several pages.
  ///
  /// - Parameter isValid: A predicate that decides which statuses are no errors; 2xx by default.
  ///   Later stages do not treat a status that it accepts as an error either.
  /// - Returns: The events.
  public func validate(
    _ isValid: @escaping @Sendable (HTTPStatus) -> Bool = { $0.isSuccess }
  ) -> some AsyncSequence<Event<Response<Data>>, Failure> & Sendable {
    ConvertSequence(self, ".validate()") { response throws(FreshetError) in
      guard isValid(response.status) else { throw .status(response.head, body: response.body) }
      return response.accepted
    }
  }

  /// Fails for a body of another media type with ``FreshetError/decoding(_:head:body:)``, which
  /// contains head and body: the page of a captive portal is no JSON, whatever its status.
  ///
  /// - The sequence ends with the first such response, also for several pages.
  /// - A response without a body passes, and so does an error response, whose status
  ///   `validate(_:)`, `reject(as:)` or `decode(_:)` handles.
  ///
  /// ```swift
  /// let table = client.send(.get("report")).validate(contentType: ["text/csv", "text/plain"])
  /// ```
  ///
  /// - Parameter types: The types that are accepted, such as ``ContentTypes/json`` or `"image/*"`.
  /// - Returns: The events.
  public func validate(
    contentType types: ContentTypes
  ) -> some AsyncSequence<Event<Response<Data>>, Failure> & Sendable {
    validated(contentType: types, for: "\(types)")
  }

  /// Fails for a body of another media type.
  ///
  /// - Parameters:
  ///   - types: The types that are accepted.
  ///   - target: The name of the type that the body should be decoded to.
  /// - Returns: The events.
  func validated(
    contentType types: ContentTypes,
    for target: String
  ) -> ConvertSequence<Self, Element, Failure> {
    ConvertSequence(self, ".validate(contentType: \(types))") {
      response throws(FreshetError) in
      try response.requireContentType(types, of: target)
      return response
    }
  }
}
