import Synchronization

/// Pauses and resumes runs.
///
/// While it is paused, a run starts no new items; running ones continue to their end. One control
/// can be used for several runs.
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

  /// Makes a control that is not paused.
  public init() {}

  /// A Boolean value that indicates whether runs are paused.
  public var isPaused: Bool { state.withLock(\.isPaused) }

  /// Pauses runs, so that they start no new items.
  public func pause() {
    set(true)
  }

  /// Resumes runs.
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
