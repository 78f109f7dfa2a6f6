/// A promise that several tasks can wait for.
///
/// It is settled once; later attempts have no effect.
final class Promise<Value: Sendable>: Sendable {
  typealias Outcome = Result<Value, FreshetError>

  private let outcome = Watched<Outcome?>(nil)

  func settle(_ outcome: Outcome) {
    self.outcome.update { $0 = $0 ?? outcome }
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
    let late = Outcome.failure(late)
    let settled: Outcome? =
      if let deadline, let clock {
        await outcome.first({ $0 }, or: { (try? await clock.sleep(until: deadline)).map { late } })
      } else {
        await outcome.first { $0 }
      }
    guard let settled else { throw .cancelled }
    return try settled.get()
  }
}
