import Synchronization

/// Turns demos on and off while the app runs.
///
/// A call is decided when it starts; one that is under way goes on as it began.
public final class DemoSwitch: Sendable {
  private struct State {
    var isOn: Bool
    var exceptions: [String: Bool] = [:]
  }

  private let state: Mutex<State>

  /// Makes a switch.
  ///
  /// - Parameter isOn: Whether demos answer; they do by default.
  public init(isOn: Bool = true) {
    state = Mutex(State(isOn: isOn))
  }

  /// Whether the routes answer for which nothing else was set.
  public var isOn: Bool {
    get { state.withLock { $0.isOn } }
    set { state.withLock { $0.isOn = newValue } }
  }

  /// Whether a route answers; `nil` means as all the others, see ``isOn``.
  public subscript(route name: String) -> Bool? {
    get { state.withLock { $0.exceptions[name] } }
    set { state.withLock { $0.exceptions[name] = newValue } }
  }

  func allows(_ name: String) -> Bool {
    state.withLock { $0.exceptions[name] ?? $0.isOn }
  }
}
