public import Freshet

extension AsyncSequence where Self: Sendable, Failure: PipelineFailure {
  /// Saves values before it delivers them, and delivers them as they are stored.
  ///
  /// - A value is delivered after the store has acknowledged it. Several values are saved one after
  ///   the other.
  /// - Only values are saved: a failure before this operator, such as an error response that became
  ///   a failure, leaves the store unchanged.
  /// - A save that fails ends the pipeline with ``/Freshet/FreshetError/store(_:)``; the earlier
  ///   copy is unchanged.
  /// - Cancelling during a save does not undo it.
  ///
  /// ```swift
  /// let tweets = try await client.call(Timeline()).persist(in: models).value
  /// ```
  ///
  /// - Parameter store: The store of the models.
  /// - Returns: The events, with the stored values in place of the received ones.
  public func persist<Body: Persistable>(
    in store: some ModelStoring
  ) -> some AsyncSequence<Event<Response<Body>>, Failure> & Sendable
  where Element == Event<Response<Body>> {
    ConvertSequence(self, ".persist(in: models)") {
      (response: Response<Body>) throws(FreshetError) in
      var response = response
      response.value = try await response.value.persisted(in: store)
      return response
    }
  }
}
