/// A stored value, and the state of its refresh; see ``ModelStore/live(_:refresh:by:now:)``.
public struct LiveValue<Value: Sendable, Failure: Error>: Sendable {
  /// The state of the refresh of a value.
  public enum State: Sendable {
    /// There is no refresh: the policy does not require one for the stored value.
    case stored
    /// The network is being asked.
    case refreshing
    /// The network has answered, and its response is in the store.
    case fresh
    /// The refresh has failed, or its response could not be stored; the value is the stored one.
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
