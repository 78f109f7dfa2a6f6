/// A promise that several tasks can wait for.
///
/// It is settled once; later attempts have no effect.
final class Promise<Value: Sendable>: Sendable {
  typealias Outcome = Result<Value, FreshetError>

  private struct State {
    var outcome: Outcome?
    /// The tasks that wait until a deadline; the value is `true` once it has passed.
    var isLate: [Int: Bool] = [:]
    var nextID = 0
  }

  private let state = Watched(State())

  func settle(_ outcome: Outcome) {
    state.update { if $0.outcome == nil { $0.outcome = outcome } }
  }

  /// Waits for the result.
  ///
  /// - Throws: The failure it was settled with; ``FreshetError/cancelled`` as soon as this task is
  ///   cancelled, while the other tasks keep waiting; `late` if the deadline passes first.
  func value(
    before deadline: Duration? = nil,
    by clock: CallClock? = nil,
    orThrow late: FreshetError = .cancelled
  ) async throws(FreshetError) -> Value {
    guard let deadline, let clock else { return try await outcome { $0.outcome } }
    let id = state.update { state in
      state.nextID += 1
      state.isLate[state.nextID] = false
      return state.nextID
    }
    let alarm = Task { [weak self] in
      // A cancelled sleep means that the task no longer waits.
      guard (try? await clock.sleep(until: deadline)) != nil else { return }
      self?.state.update { $0.isLate[id]? = true }
    }
    defer {
      alarm.cancel()
      state.update { $0.isLate[id] = nil }
    }
    return try await outcome { $0.outcome ?? ($0.isLate[id] == true ? .failure(late) : nil) }
  }

  private func outcome(
    _ take: @escaping @Sendable (State) -> Outcome?
  ) async throws(FreshetError) -> Value {
    guard let outcome = await state.first({ take($0) }) else { throw .cancelled }
    return try outcome.get()
  }
}
