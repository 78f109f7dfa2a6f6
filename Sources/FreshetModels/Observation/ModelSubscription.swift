import Freshet

/// The pending changes of one reader: whether it has to read again.
///
/// It holds no values, so that a slow reader costs nothing: it reads the newest state when it returns.
final class ModelSubscription: Sendable {
  private let state = Watched(State())

  private struct State {
    var isDirty = true
    /// The models on which the last read depends; `nil` during a read, when any change may matter.
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

  /// Returns the next step; `read` must be followed by ``didRead(_:)``.
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

  /// Sets the models on which the last read depends.
  func didRead(_ interest: ModelInterest) {
    state.update { $0.interest = interest }
  }

  /// Takes changes of the store; `nil` for its end.
  func note(_ changes: ModelChanges?) {
    state.update { state in
      guard let changes else {
        state.isClosed = true
        return
      }
      if state.interest?.isTouched(by: changes) ?? true { state.isDirty = true }
    }
  }

  /// Makes the reader read again, whatever it depends on.
  func raise() {
    state.update { $0.isDirty = true }
  }

  /// Waits until there is a next step.
  func wait() async {
    let isAwake = await state.wait { $0.isDirty || $0.isClosed }
    if !isAwake { state.update { $0.isCancelled = true } }
  }
}
