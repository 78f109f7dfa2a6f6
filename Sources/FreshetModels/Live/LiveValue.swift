/// A stored value and the state of its refresh; see ``ModelStore/live(_:refresh:saving:by:now:)``.
public struct LiveValue<Value: Sendable, Failure: Error>: Sendable {
  /// The state of the refresh of a value.
  public enum State: Sendable {
    /// No refresh is running: the policy accepts the stored value, or a failure was reported before.
    case stored
    /// A refresh is running.
    case refreshing
    /// The refresh has succeeded, and its response is stored.
    case fresh
    /// The refresh has failed, or its response could not be stored. The value is the stored one. Each failure
    /// is reported by one element.
    case failed(Failure)
  }

  /// The stored value.
  public var value: Value
  /// The state of the last refresh.
  public var state: State
  /// The models in the value with changes that the server has not confirmed, see ``ChangeQueue``.
  public var pending: PendingModels

  /// A Boolean value that indicates whether the value is optimistic: it has changes that the server
  /// has not confirmed.
  public var isPending: Bool { !pending.isEmpty }

  /// Makes a value.
  public init(value: Value, state: State, pending: PendingModels = .none) {
    self.value = value
    self.state = state
    self.pending = pending
  }
}

extension LiveValue.State: Equatable where Failure: Equatable {}
extension LiveValue: Equatable where Value: Equatable, Failure: Equatable {}

extension LiveValue {
  /// The reason why the last refresh failed, or `nil`.
  public var failure: Failure? {
    if case .failed(let failure) = state { failure } else { nil }
  }
}
