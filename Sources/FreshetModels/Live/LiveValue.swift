/// A stored value and the state of its refresh; see ``ModelStore/live(_:refresh:saving:by:now:)``.
public struct LiveValue<Value: Sendable, Failure: Error>: Sendable {
  /// The state of the refresh of a value.
  public enum State: Sendable {
    /// Nothing is asked of the network: the policy is content with what is stored, or a failure has been told.
    case stored
    /// The network is being asked.
    case refreshing
    /// The network has answered, and its response is in the store.
    case fresh
    /// The network could not be asked, or its answer not be stored; the value is what was stored. One element a
    /// failure is in this state.
    case failed(Failure)
  }

  /// The stored value.
  public var value: Value
  /// The state of the last refresh.
  public var state: State

  /// Makes a value.
  public init(value: Value, state: State) {
    self.value = value
    self.state = state
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
