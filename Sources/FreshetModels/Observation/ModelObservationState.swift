import Freshet

/// The observation of one iterator; it ends when it is released.
final class ModelObservationState<Value: Sendable> {
  enum Step {
    case value(Value)
    /// The value was read, and is the same as before.
    case same
    case wait
    case end
  }

  let subscription = ModelSubscription()
  private let store: ModelStore
  private let reader: ModelObservationReader<Value>
  private var id: Int?
  private var last: (value: Value, digest: [Int], pending: PendingModels)?
  /// A Boolean value that indicates whether a change of what is pending is a step.
  private let followsPending: Bool
  private var isOver = false

  init(store: ModelStore, reader: ModelObservationReader<Value>, followsPending: Bool = false) {
    self.store = store
    self.reader = reader
    self.followsPending = followsPending
  }

  deinit {
    if let id { store.core.observers.remove(id) }
  }

  /// The value of the last step that had one.
  var current: Value? { last?.value }

  /// The models in that value that have pending changes.
  var pending: PendingModels { last?.pending ?? .none }

  /// Waits for the next value; `nil` when the store is closed.
  func next() async throws(FreshetError) -> Value? {
    while true {
      switch try await step() {
      case .value(let value): return value
      case .same: continue
      case .end: return nil
      case .wait: await subscription.wait()
      }
    }
  }

  /// Reads if something has changed; a failure ends the observation.
  func step() async throws(FreshetError) -> Step {
    if isOver { return .end }
    do throws(FreshetError) {
      return try await goOn()
    } catch {
      end()
      // A store that was closed in the meantime is an end, not a failure.
      if store.isClosed, !error.isCancelled { return .end }
      throw error
    }
  }

  /// Ends the observation; later changes are ignored.
  func end() {
    isOver = true
    if let id { store.core.observers.remove(id) }
    id = nil
  }

  private func goOn() async throws(FreshetError) -> Step {
    if Task.isCancelled { throw .cancelled }
    if id == nil { try await begin() }
    switch subscription.turn() {
    case .cancelled: throw .cancelled
    case .end: return .end
    case .wait: return .wait
    case .read: break
    }
    let reading = try await read()
    subscription.didRead(reading.interest)
    defer { last = (reading.value, reading.digest, reading.pending) }
    guard let last else { return .value(reading.value) }
    if followsPending, last.pending != reading.pending { return .value(reading.value) }
    let isSame = last.digest == reading.digest || areEqual(last.value, reading.value)
    return isSame ? .same : .value(reading.value)
  }

  private func begin() async throws(FreshetError) {
    if let type = reader.type { try await store.prepare(type) } else { try await store.open() }
    let writer = store.writer
    store.core.watch { [weak writer] in writer?.attend(soon: true) }
    id = store.core.observers.add { [subscription] in subscription.note($0) }
  }

  private struct Reading: Sendable {
    let value: Value
    let digest: [Int]
    let interest: ModelInterest
    let pending: PendingModels
  }

  private func read() async throws(FreshetError) -> Reading {
    reader.isShort
      ? try await Self.read(store, reader)
      : try await Self.readElsewhere(store, reader)
  }

  @concurrent private static func readElsewhere(
    _ store: ModelStore,
    _ reader: ModelObservationReader<Value>
  ) async throws(FreshetError) -> Reading {
    try await read(store, reader)
  }

  private static func read(
    _ store: ModelStore,
    _ reader: ModelObservationReader<Value>
  ) async throws(FreshetError) -> Reading {
    let access: ReadingAccess = reader.isShort ? .byIdentity : .byFields
    guard let type = reader.type else {
      return try store.readNow { reading throws(FreshetError) in try read(reading, reader) }
    }
    return try await store.read(type, access) { reading throws(FreshetError) in
      try read(reading, reader)
    }
  }

  private static func read(
    _ reading: ModelReading,
    _ reader: ModelObservationReader<Value>
  ) throws(FreshetError) -> Reading {
    let context = ReadingContext(reading)
    let pending = try reading.pendingKeys()
    context.mark(pending)
    let value = try reader.read(reading, context)
    var interest = reader.interest
    interest.keys.formUnion(context.dependencies)
    return Reading(
      value: value,
      digest: context.digest,
      interest: interest,
      pending: try reading.pendingModels(pending, context, reader.interest)
    )
  }
}

/// Returns a Boolean value that indicates whether two values are equal; `false` if their type is
/// not `Equatable`.
func areEqual<Value>(_ left: Value, _ right: Value) -> Bool {
  guard let left = left as? any Equatable else { return false }
  return isEqual(left, right)
}

private func isEqual<Left: Equatable>(_ left: Left, _ right: Any) -> Bool {
  left == right as? Left
}
