extension AsyncSequence
where Self: Sendable, Element: PipelineEvent, Failure: PipelineFailure {
  /// Starts the pipeline now, whether anybody reads it or not.
  ///
  /// ```swift
  /// let running = client.resource(at: url).start()
  /// let logo = try await running.value
  /// ```
  ///
  /// - Returns: A handle; the pipeline goes on if it is dropped, and ends when it is cancelled.
  public func start() -> Running<Element.Value, Failure> {
    Running(self)
  }
}
