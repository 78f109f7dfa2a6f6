/// What is stored, and how its refresh stands; see ``ModelStore/live(_:refresh:by:now:)``.
public struct LiveValue<Value: Sendable, Failure: Error>: Sendable {
  /// How the refresh behind a value stands.
  public enum State: Sendable {
    /// Nothing was asked of the network: the policy is content with what is stored.
    case stored
    /// The network is being asked.
    case refreshing
    /// The network has answered, and its answer is in the store.
    case fresh
    /// The network could not be asked, or its answer not be stored; the value is what was stored.
    case failed(Failure)
  }

  /// What is stored.
  public var value: Value
  /// How the last refresh stands.
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
  /// Why the last refresh failed, if it did.
  public var failure: Failure? {
    if case .failed(let failure) = state { failure } else { nil }
  }
}
