extension AsyncSequence where Element: PipelineEvent, Failure: PipelineFailure {
  /// Runs the pipeline up to its first value, stale or not, and ends it there.
  ///
  /// The rest of the pipeline, such as a revalidation in progress, is cancelled.
  ///
  /// - Throws: The pipeline's failure; ``FreshetError/noValue`` if it ends without a value.
  public var first: Element.Value {
    get async throws(Failure) {
      var iterator = makeAsyncIterator()
      while let event = try await iterator.next(isolation: #isolation) {
        if let value = event.value { return value }
      }
      throw Failure(.noValue)
    }
  }
}
