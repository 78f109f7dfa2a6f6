import Synchronization

final class ModelObservers: Sendable {
  private let state = Mutex(State())

  private struct State {
    var subscriptions: [Int: ModelSubscription] = [:]
    var nextID = 0
    var isClosed = false
  }

  func add(_ subscription: ModelSubscription) -> Int {
    let (id, isClosed) = state.withLock { state in
      state.nextID += 1
      if !state.isClosed { state.subscriptions[state.nextID] = subscription }
      return (state.nextID, state.isClosed)
    }
    if isClosed { subscription.close() }
    return id
  }

  func remove(_ id: Int) {
    _ = state.withLock { $0.subscriptions.removeValue(forKey: id) }
  }

  func publish(_ changes: ModelChanges) {
    let subscriptions = state.withLock { Array($0.subscriptions.values) }
    for subscription in subscriptions { subscription.note(changes) }
  }

  /// Ends all observations, and later ones too.
  func close() {
    let subscriptions = state.withLock { state in
      state.isClosed = true
      defer { state.subscriptions = [:] }
      return Array(state.subscriptions.values)
    }
    for subscription in subscriptions { subscription.close() }
  }
}
