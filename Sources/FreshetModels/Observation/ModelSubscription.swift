import Synchronization

/// What one reader knows of changes: whether it must look again.
///
/// It holds no values, so that a slow reader costs nothing: it reads the newest state when it comes.
final class ModelSubscription: Sendable {
  private let state = Mutex(State())

  private struct State {
    var isDirty = true
    /// While it is being found out what the reading depends on, any change may matter.
    var interest: ModelInterest?
    var isClosed = false
    var isCancelled = false
    var waiter: CheckedContinuation<Void, Never>?

    mutating func wake() -> CheckedContinuation<Void, Never>? { waiter.take() }
  }

  enum Turn {
    case read
    case wait
    case end
    case cancelled
  }

  /// What to do next; `read` must be followed by ``didRead(_:)``.
  func turn() -> Turn {
    state.withLock { state in
      if state.isCancelled { return .cancelled }
      if state.isClosed { return .end }
      guard state.isDirty else { return .wait }
      state.isDirty = false
      state.interest = nil
      return .read
    }
  }

  /// Sets what the last reading depends on.
  func didRead(_ interest: ModelInterest) {
    state.withLock { $0.interest = interest }
  }

  func note(_ changes: ModelChanges) {
    let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard state.interest?.isTouched(by: changes) ?? true else { return nil }
      state.isDirty = true
      return state.wake()
    }
    waiter?.resume()
  }

  /// Has the reader look, whatever it depends on.
  func raise() {
    let waiter = state.withLock { state in
      state.isDirty = true
      return state.wake()
    }
    waiter?.resume()
  }

  func close() {
    let waiter = state.withLock { state in
      state.isClosed = true
      return state.wake()
    }
    waiter?.resume()
  }

  private func cancel() {
    let waiter = state.withLock { state in
      state.isCancelled = true
      return state.wake()
    }
    waiter?.resume()
  }

  /// Waits until there is something else to do.
  func wait(isolation actor: isolated (any Actor)?) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isReady = state.withLock { state in
          let isReady = state.isDirty || state.isClosed || state.isCancelled
          if !isReady { state.waiter = continuation }
          return isReady
        }
        if isReady { continuation.resume() }
      }
    } onCancel: {
      cancel()
    }
  }
}
