import Freshet
import FreshetEssentials
import Synchronization

/// The newest calls and batches, and the totals of all.
///
/// A row has a fixed place in a ring, so that adding one costs the same however many there are.
final class Recorder: Sendable {
  /// The sums since the inspector has been started.
  struct Totals: Sendable {
    var began = 0
    var succeeded = 0
    var failed = 0
    var abandoned = 0
    var bytes: Int64 = 0
    var sources: [Int] = Array(repeating: 0, count: Resource.Source.allCases.count)
  }

  private struct State {
    var rows: [RecordedCall?]
    var totals = Totals()
    var batches: [RecordedBatch] = []
    var batchCount = 0
    /// The number of bytes of the body that each row keeps, at the place of the row, and their sum.
    var bodyCounts: [Int]
    var bodyBytes = 0
    /// No row before this one keeps a body.
    var oldestBody = 1

    init(capacity: Int) {
      rows = Array(repeating: nil, count: capacity)
      bodyCounts = Array(repeating: 0, count: capacity)
    }

    mutating func countBody(_ count: Int, at place: Int) {
      bodyBytes += count - bodyCounts[place]
      bodyCounts[place] = count
    }
  }

  let capacity: Int
  let bodies: InspectedBodies
  private let now: @Sendable () -> Date
  private let state: Mutex<State>
  let versions = VersionCounter()

  private static let maximumCapacity = 100_000
  private static let maximumBatches = 50

  init(capacity: Int, bodies: InspectedBodies, now: @escaping @Sendable () -> Date) {
    self.capacity = min(max(1, capacity), Self.maximumCapacity)
    self.bodies = bodies
    self.now = now
    state = Mutex(State(capacity: self.capacity))
  }

  /// The number of the newest change.
  var version: Int { versions.current }

  var totals: Totals { state.withLock(\.totals) }

  /// The rows, the oldest first.
  var rows: [RecordedCall] {
    state.withLock { state in
      let newest = state.totals.began
      return (max(1, newest - capacity + 1)..<newest + 1).compactMap { state.rows[$0 % capacity] }
    }
  }

  /// Finds the newest rows with changes.
  ///
  /// - Parameters:
  ///   - sent: The versions of the rows that were returned last, at the places of the rows; it is brought up to date.
  ///   - room: The largest number of rows.
  /// - Returns: The rows, the oldest first, and the number of those that there was no room for.
  func changes(since sent: inout [Int], room: Int) -> (rows: [RecordedCall], waiting: Int) {
    var (rows, waiting): ([RecordedCall], Int) = ([], 0)
    state.withLock { state in
      let newest = state.totals.began
      for id in (max(1, newest - capacity + 1)..<newest + 1).reversed() {
        let place = id % capacity
        guard let row = state.rows[place] else { continue }
        let version = row.version
        guard version != sent[place] else { continue }
        guard rows.count < room else {
          waiting += 1
          continue
        }
        sent[place] = version
        rows.append(row)
      }
    }
    return (rows.reversed(), waiting)
  }

  var batches: [RecordedBatch] { state.withLock(\.batches) }

  func row(_ id: Int) -> RecordedCall? {
    guard id > 0 else { return nil }
    return state.withLock { state in
      state.rows[id % capacity].flatMap { $0.id == id ? $0 : nil }
    }
  }

  func begin(_ request: Request, _ stages: ObservedStages?, client: Int) -> RowObserver {
    let date = now()
    let (row, old) = state.withLock { state -> (RecordedCall, RecordedCall?) in
      state.totals.began += 1
      let id = state.totals.began
      let row = RecordedCall(
        request,
        stages,
        id: id,
        client: client,
        date: date,
        self
      )
      let old = state.rows[id % capacity]
      state.rows[id % capacity] = row
      state.countBody(0, at: id % capacity)
      return (row, old)
    }
    // What it holds is released outside of the lock.
    _ = old
    return RowObserver(row, self)
  }

  func beginBatch(_ description: String, client: Int) -> BatchRecorder {
    let date = now()
    let batch = state.withLock { state -> RecordedBatch in
      state.batchCount += 1
      let batch = RecordedBatch(
        description,
        id: state.batchCount,
        client: client,
        date: date,
        versions
      )
      state.batches.append(batch)
      if state.batches.count > Self.maximumBatches { state.batches.removeFirst() }
      return batch
    }
    return BatchRecorder(batch)
  }

  func ended(_ outcome: RecordedCall.Outcome, from source: Resource.Source?, bytes: Int64) {
    state.withLock { state in
      // The row was changed before its totals.
      _ = versions.next()
      switch outcome {
      case .running: break
      case .succeeded: state.totals.succeeded += 1
      case .failed: state.totals.failed += 1
      case .abandoned: state.totals.abandoned += 1
      }
      guard let source, let index = Resource.Source.allCases.firstIndex(of: source) else { return }
      state.totals.sources[index] += 1
      if source == .network { state.totals.bytes += bytes }
    }
  }

  /// Counts the bytes of the body that a row keeps now, and drops the bodies of the oldest rows beyond the limit.
  ///
  /// It reads the number under its own lock, so that the last call for a row counts what the row has.
  func countBody(of row: RecordedCall) {
    state.withLock { state in
      guard state.rows[row.id % capacity] === row else { return row.dropBody() }
      state.countBody(row.bodyCount, at: row.id % capacity)
      state.oldestBody = min(state.oldestBody, row.id)
      state.oldestBody = max(state.oldestBody, state.totals.began - capacity + 1)
      while state.bodyBytes > InspectedBodies.totalLimit, state.oldestBody <= state.totals.began {
        let place = state.oldestBody % capacity
        state.rows[place]?.dropBody()
        state.countBody(0, at: place)
        state.oldestBody += 1
      }
    }
  }
}

/// The numbers of changes.
final class VersionCounter: Sendable {
  private let number = Atomic(0)

  var current: Int { number.load(ordering: .acquiring) }

  func next() -> Int { number.add(1, ordering: .relaxed).newValue }
}

/// Records the fetches, calls and batches of one client.
final class ClientRecorder: ClientObserver {
  private let recorder: Recorder
  private let client: Int

  init(_ recorder: Recorder, client: Int) {
    self.recorder = recorder
    self.client = client
  }

  func fetchBegan(_ request: Request, _ stages: ObservedStages) -> any FetchObserver {
    recorder.begin(request, stages, client: client)
  }

  func callBegan(_ request: Request) -> any CallObserver {
    recorder.begin(request, nil, client: client)
  }

  func batchBegan(_ description: String) -> any BatchObserver {
    recorder.beginBatch(description, client: client)
  }
}
