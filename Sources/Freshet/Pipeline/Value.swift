extension AsyncSequence where Element: PipelineEvent, Failure: PipelineFailure {
  /// Runs the pipeline to its end and returns the last, final value.
  ///
  /// Each access runs the pipeline again. Cancelling the task cancels the pipeline.
  ///
  /// ```swift
  /// let logo = try await client.resource(at: url).value
  /// ```
  ///
  /// - Throws: The pipeline's failure; ``FreshetError/noValue`` if it ends without a value.
  public var value: Element.Value {
    get async throws(Failure) {
      var iterator = makeAsyncIterator()
      var last: Element.Value?
      while let event = try await iterator.next(isolation: #isolation) {
        if let value = event.value { last = value }
      }
      guard let last else { throw Failure(.noValue) }
      return last
    }
  }
}
