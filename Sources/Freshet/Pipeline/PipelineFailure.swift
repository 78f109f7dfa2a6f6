/// An error that a pipeline may end with: one that has a place for ``FreshetError``.
///
/// Operators throw through it, so that they work on pipelines whose failure is typed otherwise.
public protocol PipelineFailure: Error {
  /// Wraps what went wrong below.
  init(_ error: FreshetError)
}

extension FreshetError: PipelineFailure {
  /// The error itself.
  public init(_ error: FreshetError) {
    self = error
  }
}
