extension AsyncSequence where Self: Sendable, Element: PipelineEvent, Failure: PipelineFailure {
  /// The values of the pipeline without its progress, in order: pages, or stale and fresh copies.
  public var values: some AsyncSequence<Element.Value, Failure> & Sendable {
    ConvertSequence(
      self,
      ".values",
      failure: { $0 },
      convert: { event throws(Failure) in event.value }
    )
  }
}
