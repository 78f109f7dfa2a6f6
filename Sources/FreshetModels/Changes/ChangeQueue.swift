public import Freshet
public import FreshetEssentials

/// Changes of models that are stored before they are sent, and survive the end of the process.
///
/// ```swift
/// let changes = ChangeQueue(models, sending: client) {
///   $0.register(Rename.self, superseding: .lastWriteWins)
///   $0.register(AddSpring.self)
/// }
/// try await changes.add(Rename(subjectID: 7, name: "Loue"))
/// ```
///
/// - A change that ``add(_:)`` has acknowledged is in the store's database, and its effect in the
///   models, in one commit. Observations and queries show it from then on, and say that it is pending:
///   ``LiveValue/pending``, ``ModelObservation/withPending``.
/// - Models that are saved meanwhile count as the server's state: pending changes are applied to them again.
/// - Changes of one model are sent one after the other, in the order in which they were made. Changes of
///   different models are sent concurrently.
/// - A change is sent until there is an answer, each time with the same `Idempotency-Key`, also after a
///   restart: the server gets it at least once, and the models apply it once.
/// - A change that the server refuses is rolled back, and kept with its failure until it is retried or removed.
/// - One queue sends at a time. Other queues of the same directory, in this process or another one, store their
///   changes for it, and take over when it has ended.
/// - The queue sends from its creation on, until ``stop()`` or its release. Unconfirmed changes stay stored.
public final class ChangeQueue: Sendable {
  let sender: ChangeSender
  private let task: Task<Void, Never>

  private var store: ModelStore { sender.store }

  /// Makes a queue, and begins to send the stored changes.
  ///
  /// - Parameters:
  ///   - models: The store of the models, whose database stores the changes; a store in memory loses
  ///     them with its models.
  ///   - client: The client that sends them. It does not save their output, and its retry policy is not
  ///     used.
  ///   - configure: A closure that registers the types, and changes the default policies.
  public init(
    _ models: ModelStore,
    sending client: Client,
    _ configure: (inout Configuration) -> Void
  ) {
    var configuration = Configuration()
    configuration.now = client.configuration.now
    configuration.clock = client.configuration.clock
    configuration.generator = client.configuration.generator
    configure(&configuration)
    for type in configuration.types { models.core.changeTypes.register(type) }
    let sender = ChangeSender(models, client, configuration)
    self.sender = sender
    task = Task { await sender.run() }
  }

  deinit {
    task.cancel()
  }

  /// Stores a change, and applies it to the models.
  ///
  /// Cancelling the task does not undo it. A change that names a model whose creation has failed is stored as
  /// failed, and is retried with the creation.
  ///
  /// - Parameter change: The change, whose type is registered.
  /// - Returns: A receipt, to wait for the server's answer.
  /// - Throws: ``/Freshet/FreshetError/store(_:)`` if it could not be stored or applied; nothing has changed
  ///   then.
  @discardableResult
  public func add<Change: ModelChange>(
    _ change: Change
  ) async throws(FreshetError) -> ChangeReceipt<Change> {
    let bytes = try ChangeCoding.encode(change)
    try Self.checkIdentity(of: change)
    let (id, key) = (sender.generator.uuid(), sender.generator.uuid())
    let time = sender.configuration.now().timeIntervalSince1970
    let settlement = sender.settlements.add(id)
    do throws(FreshetError) {
      let added = try await store.writer.perform { transaction throws(FreshetError) in
        try transaction.add(Change.self, bytes, id: id, key: key, time: time)
      }
      if let superseded = added.superseded {
        sender.settlements.forward(superseded, to: id, settlement)
      }
      for id in added.failed { sender.settlements.settle(id, .dependent) }
      sender.settlements.setStored(id)
    } catch {
      sender.settlements.settle(id, .refused(nil))
      throw error
    }
    return ChangeReceipt(id: id, settlement: settlement)
  }

  /// Fails for a temporary identity that could be mistaken for another value.
  private static func checkIdentity<Change: ModelChange>(
    of change: Change
  ) throws(FreshetError) {
    guard Change.createsSubject else { return }
    let id = try ModelBatch.identify(Change.Subject.self, change.subjectID)
    if IdentityReplacement.canFind(id) { return }
    throw .store(
      "the temporary identity of a \(Change.changeName) could be equal to another value; create it with TemporaryID"
    )
  }

  // MARK: - Observing

  /// The changes that are not confirmed, now and after each step.
  ///
  /// A cold sequence with the guarantees of ``ModelStore/observe(_:)``.
  public var states: ModelObservation<ChangeQueueState> {
    let (types, sender) = (store.core.changeTypes, sender)
    return ModelObservation(
      store: store,
      reader: ModelObservationReader(
        isShort: true,
        wording: { "changes" },
        interest: ModelInterest(models: [ChangeTable.announcement.model]),
        type: nil,
        read: { reading, context throws(FreshetError) in
          let state = try reading.queueState(types, isPaused: sender.isPaused)
          context.note(state)
          return state
        }
      )
    )
  }

  /// Returns the changes that are not confirmed.
  ///
  /// - Returns: The state of the queue.
  /// - Throws: ``/Freshet/FreshetError/store(_:)`` if the store cannot be used.
  public func state() async throws(FreshetError) -> ChangeQueueState {
    try await store.open()
    let (types, isPaused) = (store.core.changeTypes, sender.isPaused)
    return try store.readNow { reading throws(FreshetError) in
      try reading.queueState(types, isPaused: isPaused)
    }
  }

  /// Waits until no change is pending: each was confirmed, refused or removed.
  ///
  /// After ``stop()`` it waits for another queue to send the rest.
  ///
  /// - Throws: ``/Freshet/FreshetError/cancelled`` as soon as the task is cancelled, or
  ///   ``/Freshet/FreshetError/store(_:)`` if the store cannot be read, or is closed before.
  public func idle() async throws(FreshetError) {
    for try await state in states where state.pending.isEmpty { return }
    if Task.isCancelled { throw .cancelled }
    throw .store("it was closed")
  }

  // MARK: - Editing

  /// Sends no further changes; calls that have begun are completed.
  ///
  /// A pause ends with the process.
  public func pause() { sender.setPaused(true) }

  /// Ends a pause.
  public func resume() { sender.setPaused(false) }

  /// Removes a change, and rolls its effect on the models back.
  ///
  /// Changes that name a model which it creates fail. If the change was sent without an answer, it may have
  /// reached the server: the next refresh shows it.
  ///
  /// - Parameter id: The identity of the change.
  /// - Returns: A Boolean value that indicates whether it was removed; `false` if it is being sent, or is
  ///   not in the queue.
  /// - Throws: ``/Freshet/FreshetError/store(_:)`` if it could not be removed.
  @discardableResult
  public func remove(_ id: UUID) async throws(FreshetError) -> Bool {
    try await sender.settle(id, .refused(nil)) { [sender] transaction throws(FreshetError) in
      guard let number = try transaction.number(of: id) else { return nil }
      try transaction.endLostAttempts(sender)
      return try transaction.remove(number, evenIfSending: false)
    }
  }

  /// Removes all changes, such as those of a user who signs out.
  ///
  /// One that is being sent is removed, too: its request is cancelled, soon afterwards if another queue
  /// sends. If it has reached the server, a refresh shows its effect.
  ///
  /// - Throws: ``/Freshet/FreshetError/store(_:)`` if they could not be removed.
  public func removeAll() async throws(FreshetError) {
    let (numbers, removed) = try await store.writer.perform { transaction throws(FreshetError) in
      // The last one first, so that no change fails because what it depends on is gone.
      let numbers = Array(try transaction.changeNumbers().reversed())
      var removed: [UUID] = []
      for number in numbers {
        removed += try transaction.remove(number, evenIfSending: true) ?? []
      }
      return (numbers, removed)
    }
    for id in removed { sender.settlements.settle(id, .refused(nil)) }
    sender.cancelAttempts(numbers)
  }

  /// Sends a change that has failed, or that waits for a pause, without a further pause.
  ///
  /// It comes behind earlier changes of its model, and behind a later one that was sent without an answer, unless
  /// that waits for an identity.
  /// A failed change is applied to the models again, at its place in the order, and so are the changes that
  /// failed because of it.
  ///
  /// - Parameter id: The identity of the change.
  /// - Returns: A Boolean value that indicates whether it waits now; `false` if it is being sent, is not in the
  ///   queue, or names a model whose creation has failed, which has to be retried instead, or was removed.
  /// - Throws: ``/Freshet/FreshetError/store(_:)`` if it could not be changed.
  @discardableResult
  public func retry(_ id: UUID) async throws(FreshetError) -> Bool {
    try await store.writer.perform { [sender] transaction throws(FreshetError) in
      guard let number = try transaction.number(of: id) else { return false }
      return try transaction.retry(number) { sender.generator.uuid() }
    }
  }

  /// Sends all changes that have failed, or that wait for a pause, now, such as after a new sign-in.
  ///
  /// - Throws: ``/Freshet/FreshetError/store(_:)`` if they could not be changed.
  public func retryAll() async throws(FreshetError) {
    try await store.writer.perform { [sender] transaction throws(FreshetError) in
      for number in try transaction.changeNumbers() {
        _ = try transaction.retry(number) { sender.generator.uuid() }
      }
    }
  }

  /// Stops sending, and waits for the calls to end; unconfirmed changes stay in the store.
  ///
  /// Running calls are cancelled, and repeated by the next queue. Stopping again has no effect.
  public func stop() async {
    task.cancel()
    await task.value
  }
}

extension ModelReading {
  fileprivate func queueState(
    _ types: ChangeTypes,
    isPaused: Bool
  ) throws(FreshetError) -> ChangeQueueState {
    try connection.reporting { () throws(SQLiteError) in
      let table = ChangeTable(connection: connection)
      let blocked = Set(try table.entries(types).filter(\.isBlocked).map(\.number))
      let changes = try table.rows()
        .map { row in
          QueuedChange(
            row,
            isKnown: types[row.type] != nil,
            isBlocked: blocked.contains(row.number)
          )
        }
      return ChangeQueueState(changes: changes, isPaused: isPaused)
    }
  }
}

extension ModelTransaction {
  fileprivate func number(of id: UUID) throws(FreshetError) -> Int64? {
    try connection.report(try ChangeTable(connection: connection).row(id)?.number)
  }

  fileprivate func changeNumbers() throws(FreshetError) -> [Int64] {
    try connection.report(try ChangeTable(connection: connection).rows().map(\.number))
  }

  /// Makes changes wait that a process was sending when it was killed.
  fileprivate func endLostAttempts(_ sender: ChangeSender) throws(FreshetError) {
    let table = ChangeTable(connection: connection)
    let sent = try connection.report(try table.rows("state = 1").map(\.number))
    guard !sent.isEmpty, let running = try sender.runningNumbers() else { return }
    for number in sent where !running.contains(number) { try endLostAttempt(number) }
  }
}
