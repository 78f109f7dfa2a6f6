import Foundation
import Freshet
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
    var origins: [Int] = Array(repeating: 0, count: Resource.Source.allCases.count)
  }

  private struct State {
    var rows: [RecordedCall?]
    var totals = Totals()
    var batches: [RecordedBatch] = []
    var batchCount = 0
    /// The rows whose bodies are kept, the oldest first, and the number of their bytes.
    var bodies: [(row: RecordedCall, count: Int)] = []
    var bodyBytes = 0
  }

  let capacity: Int
  let bodies: InspectedBodies
  private let now: @Sendable () -> Date
  private let state: Mutex<State>
  let versions = VersionCounter()

  private static let maximumBatches = 50

  init(capacity: Int, bodies: InspectedBodies, now: @escaping @Sendable () -> Date) {
    self.capacity = max(1, capacity)
    self.bodies = bodies
    self.now = now
    state = Mutex(State(rows: Array(repeating: nil, count: max(1, capacity))))
  }

  /// The number of the newest change.
  var version: Int { versions.current }

  func nextVersion() -> Int { versions.next() }

  var totals: Totals { state.withLock(\.totals) }

  /// The rows, the oldest first.
  var rows: [RecordedCall] {
    state.withLock { state in
      let newest = state.totals.began
      return (max(1, newest - capacity + 1)..<newest + 1).compactMap { state.rows[$0 % capacity] }
    }
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
        version: nextVersion(),
        self
      )
      state.batches.append(batch)
      if state.batches.count > Self.maximumBatches { state.batches.removeFirst() }
      return batch
    }
    return BatchRecorder(batch, self)
  }

  func ended(_ row: RecordedCall.State) {
    state.withLock { state in
      // The row was changed before its totals.
      _ = nextVersion()
      switch row.outcome {
      case .running: break
      case .succeeded: state.totals.succeeded += 1
      case .failed: state.totals.failed += 1
      case .abandoned: state.totals.abandoned += 1
      }
      guard let source = row.source, let index = Resource.Source.allCases.firstIndex(of: source)
      else { return }
      state.totals.origins[index] += 1
      if source == .network { state.totals.bytes += row.metrics?.bytesReceived ?? row.received }
    }
  }

  /// Counts bytes of a body that a row keeps, and drops the oldest bodies beyond the limit.
  func keepsBody(of row: RecordedCall, _ count: Int) {
    let dropped = state.withLock { state -> [RecordedCall] in
      state.bodies.append((row, count))
      state.bodyBytes += count
      var dropped: [RecordedCall] = []
      while state.bodyBytes > InspectedBodies.totalLimit || state.bodies.count > 4 * capacity {
        let oldest = state.bodies.removeFirst()
        state.bodyBytes -= oldest.count
        dropped.append(oldest.row)
      }
      return dropped
    }
    for row in dropped { row.dropBody() }
  }

  /// Counts the body of a row no more, which turned out to be too long.
  func keepsNoBody(of row: RecordedCall) {
    state.withLock { state in
      state.bodies.removeAll { $0.row === row }
      state.bodyBytes = state.bodies.reduce(0) { $0 + $1.count }
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
