import Synchronization

/// A result that is not there yet and that several tasks wait for.
///
/// It is settled once; later attempts change nothing.
final class Settlement<Value: Sendable>: Sendable {
  typealias Outcome = Result<Value, FreshetError>

  private struct State {
    var outcome: Outcome?
    var waiters: [Int: CheckedContinuation<Outcome, Never>] = [:]
    /// Who has been dismissed before waiting; `nil` for those who have not.
    var early: [Int: FreshetError?] = [:]
    var nextID = 0
  }

  private let state = Mutex(State())

  func settle(_ outcome: Outcome) {
    let waiters = state.withLock { state in
      guard state.outcome == nil else { return [CheckedContinuation<Outcome, Never>]() }
      state.outcome = outcome
      defer { state.waiters = [:] }
      return Array(state.waiters.values)
    }
    for waiter in waiters {
      waiter.resume(returning: outcome)
    }
  }

  /// Waits for the result.
  ///
  /// - Throws: How it was settled; ``FreshetError/cancelled`` as soon as this task is cancelled,
  ///   which leaves the others waiting; `late` when the deadline comes first.
  func value(
    before deadline: Duration? = nil,
    by clock: CallClock? = nil,
    orThrow late: FreshetError = .cancelled
  ) async throws(FreshetError) -> Value {
    let id = state.withLock { state in
      state.nextID += 1
      state.early[state.nextID] = .some(nil)
      return state.nextID
    }
    defer { state.withLock { _ = $0.early.removeValue(forKey: id) } }
    let alarm = deadline.flatMap { deadline in
      clock.map { clock in
        Task { [weak self] in
          // A cancelled sleep means that the waiter has gone.
          guard (try? await clock.sleep(until: deadline)) != nil else { return }
          self?.dismiss(id, with: late)
        }
      }
    }
    defer { alarm?.cancel() }
    return try await wait(as: id).get()
  }

  private func wait(as id: Int) async -> Outcome {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let outcome: Outcome? = state.withLock { state in
          if let outcome = state.outcome { return outcome }
          if let error = state.early[id] ?? nil { return .failure(error) }
          // A handler that came too early to find the waiter has left the task's flag set.
          if Task.isCancelled { return .failure(.cancelled) }
          state.waiters[id] = continuation
          return nil
        }
        if let outcome { continuation.resume(returning: outcome) }
      }
    } onCancel: {
      dismiss(id, with: .cancelled)
    }
  }

  private func dismiss(_ id: Int, with error: FreshetError) {
    let waiter = state.withLock { state in
      let waiter = state.waiters.removeValue(forKey: id)
      // An alarm can ring before the waiter is there; one that has gone has no entry.
      if waiter == nil, state.early[id] != nil { state.early[id] = .some(error) }
      return waiter
    }
    waiter?.resume(returning: .failure(error))
  }
}
