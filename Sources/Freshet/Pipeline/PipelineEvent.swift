/// An event that may carry a value: what `value`, `first` and `start()` need to know of ``Event``.
public protocol PipelineEvent: Sendable {
  /// What the pipeline is for.
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
