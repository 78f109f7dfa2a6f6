#if !canImport(Darwin)
import Synchronization

/// Waits for something, and not for ever: what does not end, not even when it is cancelled, is left
/// behind, so that it is a result and does not stop the laboratory.
enum Race {
  /// What the work returns, or `nil` if the time is over first.
  static func first<Value: Sendable>(
    within seconds: Double,
    _ work: @escaping @Sendable () async -> Value
  ) async -> Value? {
    let end = End<Value>()
    let task = Task { end.reach(await work()) }
    let watch = Task {
      // A cancelled watch has nothing to say.
      guard (try? await Task.sleep(for: .seconds(seconds))) != nil else { return }
      end.reach(nil)
      task.cancel()
    }
    defer { watch.cancel() }
    return await end.value
  }

  /// The first of two ends; the second is not heard.
  private final class End<Value: Sendable>: Sendable {
    private enum State {
      case nothing
      case awaited(CheckedContinuation<Value?, Never>)
      case reached(Value?)
    }

    private let state = Mutex(State.nothing)

    func reach(_ value: Value?) {
      let waiting = state.withLock { state -> CheckedContinuation<Value?, Never>? in
        switch state {
        case .reached: return nil
        case .nothing:
          state = .reached(value)
          return nil
        case .awaited(let continuation):
          state = .reached(value)
          return continuation
        }
      }
      waiting?.resume(returning: value)
    }

    var value: Value? {
      get async {
        await withCheckedContinuation { continuation in
          let reached = state.withLock { state -> Value?? in
            if case .reached(let value) = state { return .some(value) }
            state = .awaited(continuation)
            return nil
          }
          if let reached { continuation.resume(returning: reached) }
        }
      }
    }
  }
}
#endif
