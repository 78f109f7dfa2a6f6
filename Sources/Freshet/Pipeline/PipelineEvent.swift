/// An event that may carry a value: the requirements of `value`, `first` and `start()` on ``Event``.
public protocol PipelineEvent: Sendable {
  /// The type of the pipeline's values.
  associatedtype Value: Sendable
  /// The value, if this event is one.
  var value: Value? { get }
  /// The progress, if this event is one.
  var progress: TransferProgress? { get }
}

extension Event: PipelineEvent {
  /// The progress, if this is one.
  public var progress: TransferProgress? {
    if case .progress(let progress) = self { progress } else { nil }
  }
}
