import Freshet

/// The refresh that all who iterate a live sequence share, and those who call for one.
///
/// One runs at a time. It is cancelled when the last of them leaves; so are the triggers, which are
/// followed while somebody iterates.
final class SharedRefresh<Value: Sendable, Refusal: PipelineFailure>: Sendable {
  typealias Step = LiveValue<Value, Refusal>.State

  private let store: ModelStore
  private let triggers: [RefetchTrigger]
  private let perform: @Sendable () async -> Step
  private let state = Watched(State())

  private struct State {
    var listeners: [Int: Listener] = [:]
    var nextID = 0
    /// The number of callers that wait for the running refresh.
    var callers = 0
    var number = 0
    var task: Task<Void, Never>?
    /// A Boolean value that indicates whether the one that runs may answer with what is outdated.
    var isDueAgain = false
    /// The closures that end the triggers.
    var followed: [@Sendable () -> Void] = []
    var last: (number: Int, end: Step)?
    /// The step at which the last answer was stored, see ``ModelDatabase/nextStep()``; 0 before that.
    var storedAt = 0
  }

  private struct Listener {
    let subscription: ModelSubscription
    /// The beginnings and ends of refreshes that the iterator has not handled yet, in their order.
    ///
    /// Of the refreshes that have ended before the last step, only failures.
    var news: [Step] = []

    mutating func add(_ step: Step) {
      news.removeAll { if case .failed = $0 { false } else { true } }
      if case .failed = step { news = [] }
      news.append(step)
    }
  }

  init(
    _ store: ModelStore,
    _ triggers: [RefetchTrigger],
    _ perform: @escaping @Sendable () async -> Step
  ) {
    self.store = store
    self.triggers = triggers
    self.perform = perform
  }

  /// Refreshes, or joins a refresh that runs.
  ///
  /// - Returns: The result; `nil` if the task was cancelled before.
  func refresh() async -> Step? {
    let number = state.update { state in
      state.callers += 1
      begin(&state)
      return state.number
    }
    wake()
    let end = await state.first { state in
      state.last.flatMap { $0.number >= number ? $0.end : nil }
    }
    let ends = state.update { state in
      state.callers -= 1
      return Self.endIfLeft(&state)
    }
    for end in ends { end() }
    return end
  }

  /// Has an iterator hear of refreshes, and begins one if it is due.
  ///
  /// - Returns: The iterator's number, and whether a refresh runs.
  func join(_ subscription: ModelSubscription, isDue: Bool) -> (id: Int, isRunning: Bool) {
    let joined = state.update { state in
      if isDue { begin(&state) }
      if state.followed.isEmpty { follow(&state) }
      state.nextID += 1
      state.listeners[state.nextID] = Listener(subscription: subscription)
      return (state.nextID, state.task != nil)
    }
    wake()
    return joined
  }

  func leave(_ id: Int) {
    let ends = state.update { state in
      state.listeners[id] = nil
      return Self.endIfLeft(&state)
    }
    for end in ends { end() }
  }

  // MARK: - Triggers

  private func follow(_ state: inout State) {
    state.followed = triggers.map { trigger in
      trigger.follow(store) { [weak self] in self?.fire(isAboutServer: trigger.isAboutServer) }
    }
    let observers = store.core.confirmationObservers
    // One that runs looks at the confirmations itself, but may be past that, or fail.
    let id = observers.add { [weak self] step in
      // The last answer was stored after the change was sent, and before it was confirmed.
      self?.fire(isAboutServer: true) { $0.storedAt > step }
    }
    state.followed.append { observers.remove(id) }
  }

  /// Refreshes because of an event, if somebody iterates and a condition holds.
  private func fire(isAboutServer: Bool, if condition: (State) -> Bool = { _ in true }) {
    state.update { state in
      guard !state.listeners.isEmpty, condition(state) else { return }
      if state.task != nil {
        state.isDueAgain = state.isDueAgain || isAboutServer
      } else {
        begin(&state)
      }
    }
    wake()
  }

  // MARK: - One refresh

  func takeNews(_ id: Int) -> Step? {
    state.update { state in
      guard let news = state.listeners[id]?.news, !news.isEmpty else { return nil }
      return state.listeners[id]?.news.removeFirst()
    }
  }

  private func begin(_ state: inout State) {
    guard state.task == nil else { return }
    state.isDueAgain = false
    state.number += 1
    let number = state.number
    for id in state.listeners.keys { state.listeners[id]?.add(.refreshing) }
    state.task = Task { [self] in end(number, await perform()) }
  }

  private func end(_ number: Int, _ end: Step) {
    state.update { state in
      // Nobody was left, or another one has begun since.
      guard state.task != nil, state.number == number else { return }
      state.task = nil
      state.last = (number, end)
      if case .fresh = end { state.storedAt = store.core.nextStep() }
      for id in state.listeners.keys { state.listeners[id]?.add(end) }
      if state.isDueAgain, !state.listeners.isEmpty { begin(&state) }
    }
    wake()
  }

  /// Takes what nobody needs any more.
  ///
  /// - Returns: The closures that end it. They are called without the lock: what a cancelled sequence of
  ///   events calls may release an iterator.
  private static func endIfLeft(_ state: inout State) -> [@Sendable () -> Void] {
    guard state.listeners.isEmpty else { return [] }
    var ends = state.followed
    state.followed = []
    guard state.callers == 0, let task = state.task else { return ends }
    state.task = nil
    ends.append { task.cancel() }
    return ends
  }

  /// Has the iterators look, of which there is news for some.
  private func wake() {
    let subscriptions = state.read { state in
      state.listeners.values.filter { !$0.news.isEmpty }.map(\.subscription)
    }
    for subscription in subscriptions { subscription.raise() }
  }
}
