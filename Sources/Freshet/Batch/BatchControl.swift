import Synchronization

/// Pauses and resumes runs.
///
/// While it is paused, a run starts nothing new; what is under way goes on to its end. One control
/// may serve several runs.
///
/// ```swift
/// let control = BatchControl()
/// let running = client.batch(urls).run(control: control).start()
/// control.pause()
/// ```
public final class BatchControl: Sendable {
  private struct State {
    var isPaused = false
    var observers: [Int: @Sendable (Bool) -> Void] = [:]
    var nextObserver = 0
  }

  private let state = Mutex(State())

  /// Makes a control that lets runs go on.
  public init() {}

  /// Whether runs are paused.
  public var isPaused: Bool { state.withLock(\.isPaused) }

  /// Lets runs start nothing new.
  public func pause() {
    set(true)
  }

  /// Lets runs go on.
  public func resume() {
    set(false)
  }

  private func set(_ isPaused: Bool) {
    state.withLock { state in
      state.isPaused = isPaused
      for observer in state.observers.values { observer(isPaused) }
    }
  }

  /// Calls the observer now and at each change, under a lock.
  func observe(_ observer: @escaping @Sendable (Bool) -> Void) -> Int {
    state.withLock { state in
      state.nextObserver += 1
      state.observers[state.nextObserver] = observer
      observer(state.isPaused)
      return state.nextObserver
    }
  }

  func forget(_ observer: Int) {
    _ = state.withLock { $0.observers.removeValue(forKey: observer) }
  }
}
