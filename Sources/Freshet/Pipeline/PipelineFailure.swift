/// An error that a pipeline can end with: one that can wrap a ``FreshetError``.
///
/// Operators use it to throw their own errors in pipelines with any type of failure.
public protocol PipelineFailure: Error {
  /// Wraps an error of Freshet.
  init(_ error: FreshetError)
}

extension FreshetError: PipelineFailure {
  /// The error itself.
  public init(_ error: FreshetError) {
    self = error
  }
}
