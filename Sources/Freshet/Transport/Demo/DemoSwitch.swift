import Synchronization

/// Turns demos on and off while the app is running.
///
/// Changes apply to new calls; running calls are not affected.
public final class DemoSwitch: Sendable {
  private struct State {
    var isOn: Bool
    var exceptions: [String: Bool] = [:]
  }

  private let state: Mutex<State>

  /// Creates a switch.
  ///
  /// - Parameter isOn: A Boolean value that indicates whether demos answer; `true` by default.
  public init(isOn: Bool = true) {
    state = Mutex(State(isOn: isOn))
  }

  /// A Boolean value that indicates whether routes without a setting of their own answer.
  public var isOn: Bool {
    get { state.withLock { $0.isOn } }
    set { state.withLock { $0.isOn = newValue } }
  }

  /// A Boolean value that indicates whether a route answers; `nil` if it follows ``isOn``.
  public subscript(route name: String) -> Bool? {
    get { state.withLock { $0.exceptions[name] } }
    set { state.withLock { $0.exceptions[name] = newValue } }
  }

  func allows(_ name: String) -> Bool {
    state.withLock { $0.exceptions[name] ?? $0.isOn }
  }
}
