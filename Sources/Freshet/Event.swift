/// An event of a pipeline: progress, or a value.
///
/// A pipeline may deliver several values, of which the last is final: a stale copy first, the fresh
/// one after it. Progress is conflated to the newest; values are never dropped.
public enum Event<Value: Sendable>: Sendable {
  /// Progress of the transfer.
  case progress(TransferProgress)
  /// A value.
  case value(Value)
}

extension Event {
  /// The value, if this is one.
  public var value: Value? {
    if case .value(let value) = self { value } else { nil }
  }
}

extension Event: Equatable where Value: Equatable {}
