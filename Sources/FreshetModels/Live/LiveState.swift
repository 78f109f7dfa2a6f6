import Freshet

/// One iterator's live value; it leaves its refresh when it is released.
final class LiveState<Value: Sendable, Refusal: PipelineFailure> {
  typealias Element = LiveValue<Value, Refusal>

  private let observation: ModelObservationState<Value>
  private let refresh: LiveRefresh<Value, Refusal>
  private let shared: SharedRefresh<Value, Refusal>
  private var id: Int?
  private var state = Element.State.stored

  init(
    _ observation: ModelObservation<Value>,
    _ refresh: LiveRefresh<Value, Refusal>,
    _ shared: SharedRefresh<Value, Refusal>
  ) {
    self.observation = ModelObservationState(
      store: observation.store,
      reader: observation.reader,
      followsPending: true
    )
    self.refresh = refresh
    self.shared = shared
  }

  deinit {
    if let id { shared.leave(id) }
  }

  func next() async throws(FreshetError) -> Element? {
    do throws(FreshetError) {
      return try await element()
    } catch {
      // A failure also ends the refresh.
      observation.end()
      leave()
      // A store that was closed in the meantime is an end, not a failure.
      if refresh.store.isClosed, !error.isCancelled { return nil }
      throw error
    }
  }

  private func element() async throws(FreshetError) -> Element? {
    while true {
      // Taken before the store is read, so that the value includes the models that the refresh has stored.
      let hasNews = takeNews()
      switch try await observation.step() {
      case .value(let value):
        return try element(value)
      case .same:
        if hasNews, let value = observation.current { return try element(value) }
      // The refresh may have ended after the check above, and caused this read.
      case .wait:
        if hasNews, let value = observation.current { return try element(value) }
        // It returns immediately if something has happened since.
        await observation.subscription.wait()
      case .end:
        leave()
        return nil
      }
    }
  }

  private func takeNews() -> Bool {
    guard let id, let news = shared.takeNews(id) else { return false }
    state = news
    return true
  }

  private func element(_ value: Value) throws(FreshetError) -> Element {
    if id == nil {
      let isDue = try refresh.isDue(value)
      let joined = shared.join(observation.subscription, isDue: isDue)
      id = joined.id
      state = joined.isRunning ? .refreshing : .stored
    }
    // A failure is told once; what changes afterwards changes without the network.
    defer { if case .failed = state { state = .stored } }
    return Element(value: value, state: state, pending: observation.pending)
  }

  private func leave() {
    if let id { shared.leave(id) }
  }
}
