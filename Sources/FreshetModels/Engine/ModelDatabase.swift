import Freshet
import FreshetEssentials
import Synchronization

/// The state that the store, its writer and its readers share, and the connections for reading.
final class ModelDatabase: Sendable {
  let place: ModelLocation
  let configuration: ModelStore.Configuration
  let now: @Sendable () -> Date
  /// The readers to which commits are published, and `nil` when the store is closed.
  let observers = EventObservers<ModelChanges?>()
  let checks = IndexChecks()
  /// The types of the changes that this process knows.
  let changeTypes = ChangeTypes()
  /// The number of changes that the server has confirmed, counted before they are confirmed here.
  let confirmations = Atomic<Int>(0)
  /// A Boolean value that indicates whether a queue sends the changes of a database in memory.
  let hasSender = Atomic<Bool>(false)
  /// The live values that are fetched again when a tag is invalid.
  let tagObservers = EventObservers<String>()
  /// The refreshes that may have stored a change before it was confirmed, by the step at which it was sent.
  let confirmationObservers = EventObservers<Int>()
  private let steps = Atomic(0)
  /// The writer's connection, which is the only one of a store in memory.
  let main = Mutex<ModelConnection?>(nil)
  private let readers = ConnectionSlots<ModelConnection>()
  private let state = Mutex(State())
  private let watcher = Mutex<ChangeWatcher?>(nil)
  /// The token that this store writes into the note, to distinguish its own commits from others'.
  let token = UUID()

  struct State {
    var phase = Phase.unopened
    var prepared: Set<ObjectIdentifier> = []
  }

  enum Phase: Sendable {
    case unopened
    /// Readers that were opened for another generation open again.
    case open(generation: Int)
    case failed
    case closed
  }

  init(
    place: ModelLocation,
    configuration: ModelStore.Configuration,
    now: @escaping @Sendable () -> Date
  ) {
    self.place = place
    self.configuration = configuration
    self.now = now
  }

  var phase: Phase { state.withLock { $0.phase } }

  /// Returns the number of a new step, larger than those before it: the end of a refresh, or the
  /// sending of a change.
  func nextStep() -> Int { steps.add(1, ordering: .acquiringAndReleasing).newValue }

  func opened(generation: Int) {
    state.withLock { state in
      state.phase = .open(generation: generation)
      state.prepared = []
    }
  }

  func failed() {
    state.withLock { $0 = State(phase: .failed) }
  }

  func closed() {
    state.withLock { $0 = State(phase: .closed) }
  }

  func isPrepared(_ type: any PersistableModel.Type) -> Bool {
    state.withLock { $0.prepared.contains(ObjectIdentifier(type)) }
  }

  func setPrepared(_ type: any PersistableModel.Type) {
    state.withLock { state in
      if case .open = state.phase { state.prepared.insert(ObjectIdentifier(type)) }
    }
  }
}

// MARK: - Watching

extension ModelDatabase {
  /// Starts to watch for commits of other processes.
  func watch(_ wake: @escaping @Sendable () -> Void) {
    watcher.withLock { watcher in
      guard watcher == nil, case .open = phase, let note = place.note else { return }
      watcher = ChangeWatcher(note, token: token, onChange: wake)
    }
  }

  /// Watches the current file, if a file was watched before.
  func watchAgain(_ wake: @escaping @Sendable () -> Void) {
    watcher.withLock { watcher in
      guard watcher != nil, let note = place.note else { return }
      watcher = ChangeWatcher(note, token: token, onChange: wake)
    }
  }

  func stopWatching() {
    watcher.withLock { $0 = nil }
  }
}

// MARK: - Reading

extension ModelDatabase {
  /// Reads in a snapshot, on the caller's thread and with a connection that is not in use.
  ///
  /// A database that another process has replaced is read if it `mayMove`, and is a failure otherwise.
  func read<Value: Sendable>(
    mayMove: Bool = true,
    _ body: @Sendable (ModelReading) throws(FreshetError) -> Value
  ) throws(ReadingFailure) -> Value {
    if case .memory = place { return try readMemory(body) }
    return try readers.use { connection throws(ReadingFailure) in
      try use(&connection, mayMove, body)
    }
  }

  private func readMemory<Value: Sendable>(
    _ body: @Sendable (ModelReading) throws(FreshetError) -> Value
  ) throws(ReadingFailure) -> Value {
    do throws(FreshetError) {
      return try main.withLock { connection throws(FreshetError) in
        guard let connection else { throw .store("the store is closed") }
        return try body(ModelReading(connection: connection))
      }
    } catch {
      throw .other(error)
    }
  }

  private func use<Value: Sendable>(
    _ connection: inout sending ModelConnection?,
    _ mayMove: Bool,
    _ body: @Sendable (ModelReading) throws(FreshetError) -> Value
  ) throws(ReadingFailure) -> Value {
    // Asked under the lock: a connection that `closeReaders()` closed is not reopened for an older
    // generation.
    guard case .open(let generation) = phase else { throw .other(.store("the store is closed")) }
    let reader: ModelConnection
    if let connection, connection.generation == generation {
      if !mayMove, connection.wasReplaced(at: place.path) { throw .moved }
      reader = connection
    } else {
      connection = nil
      reader = try self.reader(generation)
    }
    do throws(FreshetError) {
      let value = try ModelReading(connection: reader).snapshot(body)
      connection = reader
      return value
    } catch {
      connection = reader.isDamaged ? nil : reader
      throw ReadingFailure(error, on: reader)
    }
  }

  /// Makes a connection that only reads.
  private func reader(_ generation: Int) throws(ReadingFailure) -> ModelConnection {
    do throws(SQLiteError) {
      let connection = try SQLiteConnection(place.path, isCreating: false, patience: 1_000)
      try connection.run("PRAGMA query_only = ON; PRAGMA cell_size_check = ON")
      return ModelConnection(connection, generation: generation)
    } catch {
      throw .other(.store(error.reason))
    }
  }

  /// Makes a connection for a long read.
  func scanner() throws(ReadingFailure) -> ModelConnection {
    guard case .open(let generation) = phase else { throw .other(.store("the store is closed")) }
    return try reader(generation)
  }

  /// Closes all connections for reading; they are reopened if the store is still open.
  func closeReaders() {
    readers.close()
  }
}
