import Freshet

/// What one reader knows of changes: whether it must look again.
///
/// It holds no values, so that a slow reader costs nothing: it reads the newest state when it comes.
final class ModelSubscription: Sendable {
  private let state = Watched(State())

  private struct State {
    var isDirty = true
    /// While it is being found out what the reading depends on, any change may matter.
    var interest: ModelInterest?
    var isClosed = false
    var isCancelled = false
  }

  enum Turn {
    case read
    case wait
    case end
    case cancelled
  }

  /// What to do next; `read` must be followed by ``didRead(_:)``.
  func turn() -> Turn {
    state.update { state in
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
    state.update { $0.interest = interest }
  }

  func note(_ changes: ModelChanges) {
    state.update { state in
      if state.interest?.isTouched(by: changes) ?? true { state.isDirty = true }
    }
  }

  /// Has the reader look, whatever it depends on.
  func raise() {
    state.update { $0.isDirty = true }
  }

  func close() {
    state.update { $0.isClosed = true }
  }

  /// Waits until there is something else to do.
  func wait(isolation actor: isolated (any Actor)?) async {
    let isAwake = await state.wait { $0.isDirty || $0.isClosed }
    if !isAwake { state.update { $0.isCancelled = true } }
  }
}
