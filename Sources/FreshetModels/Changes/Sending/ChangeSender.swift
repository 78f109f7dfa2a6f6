import Freshet
import FreshetEssentials
import Synchronization

/// Sends the changes of a store, one process at a time.
final class ChangeSender: Sendable {
  let settlements = ChangeSettlements()
  let store: ModelStore
  let client: Client
  let configuration: ChangeQueue.Configuration
  let generator: SharedGenerator
  private let subscription = ModelSubscription()
  private let state: Mutex<State>

  private struct State {
    var isPaused = false
    var isOnline: Bool
    /// The attempts of changes, by number.
    var running: [Int64: Task<Attempt?, Never>] = [:]
    /// The changes whose conflict is being decided, by number.
    var deciding: Set<Int64> = []
    /// The changes that are being sent by this process, which settles them itself.
    var sent: Set<UUID> = []
    /// The changes that are ending in this process, which settles them next, by the one on which they depend.
    var ending: [UUID: Set<UUID>] = [:]
    /// The right to send, while this process has it.
    var lock: ChangeLock?
    /// A Boolean value that indicates whether no other queue can have the right to send.
    var hasLock: Bool { lock?.isValid == true }
  }

  init(
    _ store: ModelStore,
    _ client: Client,
    _ configuration: ChangeQueue.Configuration
  ) {
    self.store = store
    self.client = client
    self.configuration = configuration
    generator = SharedGenerator(configuration.generator)
    state = Mutex(State(isOnline: configuration.connectivity == nil))
  }

  var isPaused: Bool { state.withLock { $0.isPaused } }

  func setPaused(_ isPaused: Bool) {
    state.withLock { $0.isPaused = isPaused }
    announce()
  }

  /// Sends until the task is cancelled, or the store is closed.
  func run() async {
    while !Task.isCancelled, !store.isClosed {
      do throws(FreshetError) {
        try await session()
      } catch {
        await rest()
      }
    }
    settlements.settleAll()
  }

  // MARK: - One session

  private func session() async throws(FreshetError) {
    try await store.open()
    let id = store.core.observers.add { [subscription] in subscription.note($0) }
    defer { store.core.observers.remove(id) }
    let writer = store.writer
    store.core.watch { [weak writer] in writer?.attend(soon: true) }
    defer { state.withLock { $0.lock = nil } }
    guard try await takeLock() else { return }
    try await store.writer.perform { transaction throws(FreshetError) in
      try transaction.beginSession()
    }
    await withDiscardingTaskGroup { group in
      if let connectivity = configuration.connectivity {
        group.addTask { await self.follow(connectivity) }
      }
      await send(in: &group)
      group.cancelAll()
    }
  }

  /// Waits until no other queue sends.
  ///
  /// - Returns: A Boolean value that indicates whether this one may; `false` if the task is cancelled or the
  ///   store closed.
  private func takeLock() async throws(FreshetError) -> Bool {
    while !Task.isCancelled, !store.isClosed {
      let hasLock = try state.withLock { state throws(FreshetError) -> Bool in
        state.lock = try ChangeLock(store.core)
        return state.hasLock
      }
      // The queue before may have ended with changes of this one confirmed.
      try settleForeign()
      if hasLock { return true }
      try await applyUnapplied()
      await rest()
    }
    return false
  }

  /// Returns the changes that are being sent; `nil` if another queue sends, which alone knows.
  ///
  /// It is called in a transaction: a queue that begins to send afterwards waits for its end.
  func runningNumbers() throws(FreshetError) -> Set<Int64>? {
    try state.withLock { state throws(FreshetError) -> Set<Int64>? in
      if state.hasLock { return Set(state.running.keys) }
      // Nobody sends if it can be had; it is given back at once.
      guard try ChangeLock(store.core) != nil else { return nil }
      return []
    }
  }

  /// Ends the wait for changes that another process has ended.
  private func settleForeign() throws(FreshetError) {
    let waiting = settlements.ids
    if waiting.isEmpty { return }
    let left = try store.readNow { reading throws(FreshetError) in
      try reading.connection.report(try ChangeTable(connection: reading.connection).pendingIDs())
    }
    // Behind the reading: one that this process has ended in the meantime is here, or settled.
    let own = state.withLock { $0.ending.values.reduce($0.sent) { $0.union($1) } }
    settlements.settle(missing: waiting.subtracting(left).subtracting(own))
  }

  /// Applies the changes that another process has taken back without knowing their types.
  private func applyUnapplied() async throws(FreshetError) {
    let types = store.core.changeTypes
    let isComplete = try store.readNow { reading throws(FreshetError) in
      let layer = ChangeLayer(connection: reading.connection)
      return try reading.connection.report(try layer.unapplied(types).isEmpty)
    }
    if isComplete { return }
    try await store.writer.perform { transaction throws(FreshetError) in
      try transaction.applyUnapplied()
    }
  }

  private func send(in group: inout DiscardingTaskGroup) async {
    var wake: Double?
    while !Task.isCancelled {
      switch subscription.turn() {
      case .cancelled, .end: return
      case .wait: await wait(until: wake)
      case .read:
        subscription.didRead(ModelInterest(models: [ChangeTable.announcement.model]))
        // Where the directory was made again, another queue may send.
        guard state.withLock(\.hasLock) else { return }
        guard let next = try? await next() else {
          if store.isClosed { return }
          wake = configuration.now().timeIntervalSince1970 + 1
          continue
        }
        wake = next.wake
        for number in next.start {
          let attempt = state.withLock { state in
            let attempt = Task { await self.attempt(number) }
            state.running[number] = attempt
            return attempt
          }
          group.addTask { [self] in
            await end(attempt)
            state.withLock { _ = $0.running.removeValue(forKey: number) }
            subscription.raise()
          }
        }
      }
    }
  }

  private func next() async throws(FreshetError) -> ChangeSchedule.Next {
    // The database may not have been there for a while.
    try await store.open()
    try settleForeign()
    try await applyUnapplied()
    let types = store.core.changeTypes
    // Before the entries, of which one that has ended since is not taken for one to send.
    let state = state.withLock { $0 }
    let entries = try store.readNow { reading throws(FreshetError) in
      try reading.connection.report(try ChangeTable(connection: reading.connection).entries(types))
    }
    // Another queue may have removed them.
    cancelAttempts(Set(state.running.keys).subtracting(entries.lazy.map(\.number)))
    let retry = configuration.retry
    let longest = max(retry.baseDelay, retry.maximumDelay, retry.maximumRetryAfter)
    let schedule = ChangeSchedule(
      entries: entries,
      running: Set(state.running.keys),
      deciding: state.deciding,
      isPaused: state.isPaused,
      isOnline: state.isOnline,
      maximumConcurrent: max(1, configuration.maximumConcurrent),
      now: configuration.now().timeIntervalSince1970,
      longestPause: longest / .seconds(1)
    )
    return schedule.next
  }

  /// Waits for a change of the queue, or a time.
  private func wait(until wake: Double?) async {
    guard let wake else { return await subscription.wait() }
    let pause = wake - configuration.now().timeIntervalSince1970
    await withTaskGroup(of: Void.self) { group in
      group.addTask { [self] in
        let isOver = (try? await configuration.clock.sleep(for: .seconds(max(0, pause)))) != nil
        if isOver { subscription.raise() }
      }
      await subscription.wait()
      group.cancelAll()
    }
  }

  // MARK: - One change

  /// An attempt to send a change that has an outcome.
  private struct Attempt {
    let row: ChangeRow
    let step: Int
    let outcome: ChangeOutcome
  }

  /// Sends a change once.
  ///
  /// - Returns: `nil` if it was not sent.
  private func attempt(_ number: Int64) async -> Attempt? {
    let begun = try? await store.writer.perform { transaction throws(FreshetError) in
      try transaction.beginAttempt(number)
    }
    guard let row = begun, let type = store.core.changeTypes[row.type] else {
      // Where it cannot be noted that it is sent, it is not.
      await rest()
      return nil
    }
    state.withLock { _ = $0.sent.insert(row.id) }
    // An earlier attempt may have reached the server at any time before.
    let step = row.attempts > 1 ? 0 : store.core.nextStep()
    return Attempt(row: row, step: step, outcome: await type.send(row, self))
  }

  /// Lets other changes be sent in the place of one whose conflict is being decided.
  func deciding<Decision>(_ number: Int64, _ decide: () async -> Decision) async -> Decision {
    state.withLock { _ = $0.deciding.insert(number) }
    subscription.raise()
    defer { state.withLock { _ = $0.deciding.remove(number) } }
    return await decide()
  }

  /// Waits for the outcome of an attempt, and makes it a part of the store.
  private func end(_ attempt: Task<Attempt?, Never>) async {
    let attempt = await withTaskCancellationHandler {
      await attempt.value
    } onCancel: {
      attempt.cancel()
    }
    guard let attempt else { return }
    defer { state.withLock { _ = $0.sent.remove(attempt.row.id) } }
    while true {
      do throws(FreshetError) {
        return try await end(attempt.row, sentAt: attempt.step, attempt.outcome)
      } catch {
        // Unless it is noted, it is sent again.
        if Task.isCancelled || store.isClosed { return }
        await rest()
      }
    }
  }

  /// Cancels attempts to send changes that are in the store no longer.
  ///
  /// It does not wait for their ends, because it may be called by one of them.
  func cancelAttempts(_ numbers: some Sequence<Int64>) {
    let attempts = state.withLock { state in numbers.compactMap { state.running[$0] } }
    for attempt in attempts { attempt.cancel() }
  }

  private func end(
    _ row: ChangeRow,
    sentAt step: Int,
    _ outcome: ChangeOutcome
  ) async throws(FreshetError) {
    let number = row.number
    let now = configuration.now().timeIntervalSince1970
    switch outcome {
    case .confirmed(let confirmation):
      store.core.confirmations.add(1, ordering: .acquiringAndReleasing)
      try await perform(ending: row) { transaction throws(FreshetError) in
        try transaction.confirm(number, confirmation)
      }
      settlements.settle(row.id, .confirmed(confirmation.output))
      for tag in confirmation.tags.sorted() { store.invalidate(tag: tag) }
      // A refresh in the meantime may have stored the change, which was applied to that once more.
      if !confirmation.hasSubject { store.core.confirmationObservers.notify(step) }
    case .again(let pause, let failure):
      try await perform(ending: row) { transaction throws(FreshetError) in
        try transaction.endAttempt(number, due: now + pause / .seconds(1), failure)
      }
    case .interrupted:
      // What ends attempts by itself, such as a client that was shut down, ends the next one too.
      let pause = configuration.retry.pause(beforeRetry: row.attempts) / .seconds(1)
      let due = Task.isCancelled ? row.due : now + pause
      try await perform(ending: row) { transaction throws(FreshetError) in
        try transaction.endAttempt(number, due: due, nil)
      }
    case .refused(let failure, let error, let mayRepeatKey):
      try await settle(ending: row, .refused(error)) { transaction throws(FreshetError) in
        try transaction.refuse(number, failure, keepsKey: mayRepeatKey)
      }
      // Also if it is not in the store any more.
      settlements.settle(row.id, .refused(error))
    case .replaced(let body, let base, let failure):
      let pause = configuration.retry.pause(beforeRetry: row.attempts) / .seconds(1)
      let key = generator.uuid()
      try await settle(ending: row, .dependent) { transaction throws(FreshetError) in
        try transaction.replace(number, body, base, key: key, due: now + pause, failure)
      }
    case .dropped(let save, let error):
      try await settle(ending: row, .refused(error)) { transaction throws(FreshetError) in
        try transaction.remove(number, evenIfSending: true, saving: save)
      }
      settlements.settle(row.id, .refused(error))
    }
  }

  /// Ends a change with those that depend on it, and settles all of them.
  ///
  /// - Parameters:
  ///   - id: The change.
  ///   - result: Its end.
  ///   - body: A closure that ends it in a transaction, and returns the changes that have ended.
  /// - Returns: A Boolean value that indicates whether it has ended.
  /// - Throws: The failure of the store; nothing has changed then.
  @discardableResult
  func settle(
    _ id: UUID,
    _ result: ChangeSettlement.Result,
    by body: @escaping @Sendable (ModelTransaction) throws(FreshetError) -> [UUID]?
  ) async throws(FreshetError) -> Bool {
    defer { state.withLock { $0.ending[id] = nil } }
    let ended = try await store.writer.perform { [self] transaction throws(FreshetError) in
      let ended = try body(transaction)
      // Before the commit, after which they are missing in the store.
      state.withLock { $0.ending[id] = Set(ended ?? []) }
      return ended
    }
    guard let ended else { return false }
    for other in ended { settlements.settle(other, other == id ? result : .dependent) }
    return true
  }

  /// Ends an attempt in a transaction, unless its change has gone, see ``ModelTransaction/has(_:)``.
  private func perform(
    ending row: ChangeRow,
    _ body: @escaping @Sendable (ModelTransaction) throws(FreshetError) -> Void
  ) async throws(FreshetError) {
    try await store.writer.perform { transaction throws(FreshetError) in
      if try transaction.has(row) { try body(transaction) }
    }
  }

  /// Ends a change that was sent with those that depend on it, unless it has gone.
  private func settle(
    ending row: ChangeRow,
    _ result: ChangeSettlement.Result,
    by body: @escaping @Sendable (ModelTransaction) throws(FreshetError) -> [UUID]?
  ) async throws(FreshetError) {
    try await settle(row.id, result) { transaction throws(FreshetError) in
      try transaction.has(row) ? try body(transaction) : nil
    }
  }

  // MARK: - Events

  /// Follows the state of the network.
  private func follow(_ connectivity: some AsyncSequence<Bool, Never>) async {
    // The first element says how it is: a pause from an earlier session does not end by it.
    var wasOnline = true
    for await isOnline in connectivity {
      defer { wasOnline = isOnline }
      state.withLock { $0.isOnline = isOnline }
      if isOnline, !wasOnline {
        try? await store.writer.perform { transaction throws(FreshetError) in
          try transaction.endPauses()
        }
      }
      subscription.raise()
    }
  }

  private func announce() {
    var changes = ModelChanges()
    changes.add(ChangeTable.announcement)
    store.core.observers.notify(changes)
  }

  /// Waits a second before the store is tried again.
  private func rest() async {
    try? await configuration.clock.sleep(for: .seconds(1))
  }
}

extension ModelStore {
  /// A Boolean value that indicates whether it is closed, or is being closed.
  var isClosed: Bool {
    if case .closed = core.phase { true } else { writer.isStopping }
  }
}

extension ModelTransaction {
  /// Makes all waiting changes due.
  fileprivate func endPauses() throws(FreshetError) {
    try noting { () throws(FreshetError) in
      try connection.report(try connection.run("UPDATE change SET due = NULL WHERE state = 0"))
      note(ChangeTable.announcement)
    }
  }
}
