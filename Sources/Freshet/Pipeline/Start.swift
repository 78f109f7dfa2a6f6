extension AsyncSequence
where Self: Sendable, Element: PipelineEvent, Failure: PipelineFailure {
  /// Starts the pipeline immediately, even without readers.
  ///
  /// ```swift
  /// let running = client.resource(at: url).start()
  /// let logo = try await running.value
  /// ```
  ///
  /// - Returns: A handle. Releasing it does not end the pipeline; ``Running/cancel()`` does.
  public func start() -> Running<Element.Value, Failure> {
    Running(self)
  }
}
