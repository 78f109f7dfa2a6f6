import Freshet
import Synchronization

/// One iterator's live value; it cancels its refresh when it is released.
final class LiveState<Value: Sendable, Refusal: PipelineFailure> {
  typealias Element = LiveValue<Value, Refusal>

  private let observation: ModelObservationState<Value>
  private let refresh: LiveRefresh<Value, Refusal>
  private let ending = Ending()
  private var task: Task<Void, Never>?
  private var state: Element.State?

  /// A shared box for the result of the refresh.
  private final class Ending: Sendable {
    let outcome = Mutex<LiveOutcome<Refusal>?>(nil)
  }

  init(_ observation: ModelObservation<Value>, _ refresh: LiveRefresh<Value, Refusal>) {
    self.observation = ModelObservationState(store: observation.store, reader: observation.reader)
    self.refresh = refresh
  }

  deinit {
    task?.cancel()
  }

  func next(isolation actor: isolated (any Actor)?) async throws(FreshetError) -> Element? {
    do throws(FreshetError) {
      return try await element(isolation: actor)
    } catch {
      // A failure also ends the refresh.
      observation.end()
      task?.cancel()
      throw error
    }
  }

  private func element(
    isolation actor: isolated (any Actor)?
  ) async throws(FreshetError) -> Element? {
    while true {
      // Taken before the store is read, so that the value includes the models that the refresh has stored.
      let hasEnded = takeOutcome()
      switch try await observation.step(isolation: actor) {
      case .value(let value):
        return try element(value)
      case .same:
        if hasEnded, let value = observation.current { return try element(value) }
      // The refresh may have ended after the check above, and caused this read.
      case .wait:
        if hasEnded, let value = observation.current { return try element(value) }
        // It returns immediately if something has happened since.
        await observation.subscription.wait(isolation: actor)
      case .end:
        task?.cancel()
        return nil
      }
    }
  }

  private func takeOutcome() -> Bool {
    switch ending.outcome.withLock({ $0.take() }) {
    case nil: return false
    case .fresh: state = .fresh
    case .failed(let failure): state = .failed(failure)
    }
    return true
  }

  private func element(_ value: Value) throws(FreshetError) -> Element {
    if let state { return Element(value: value, state: state) }
    let isDue = try refresh.isDue(value)
    let state: Element.State = isDue ? .refreshing : .stored
    self.state = state
    if isDue { begin() }
    return Element(value: value, state: state)
  }

  private func begin() {
    let (refresh, ending, subscription) = (refresh, ending, observation.subscription)
    task = Task {
      let outcome = await refresh.perform()
      ending.outcome.withLock { $0 = outcome }
      subscription.raise()
    }
  }
}
