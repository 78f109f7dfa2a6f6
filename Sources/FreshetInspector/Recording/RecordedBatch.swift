import Freshet
import FreshetEssentials
import Synchronization

/// A run of a batch, running or ended.
final class RecordedBatch: Sendable {
  struct State {
    var progress = BatchProgress()
    /// The rates over time: seconds since the beginning, and bytes and items per second.
    var rates: [(at: Double, bytes: Double, items: Double)] = []
    var failures: [(url: String, reason: String)] = []
    var outcome = RecordedCall.Outcome.running
    var reason: String?
    var version = 0
  }

  let id: Int
  let client: Int
  let description: String
  let date: Date
  private let began = ContinuousClock.now
  private let state: Mutex<State>
  private let versions: VersionCounter

  /// The largest number of points of the rate, and of failures that are kept.
  private static let maximumPoints = 240
  private static let maximumFailures = 200

  init(
    _ description: String,
    id: Int,
    client: Int,
    date: Date,
    _ versions: VersionCounter
  ) {
    state = Mutex(State(version: versions.next()))
    self.id = id
    self.client = client
    self.description = description
    self.date = date
    self.versions = versions
  }

  var now: State { state.withLock(\.self) }
  var version: Int { state.withLock { $0.version } }

  /// Changes the state.
  ///
  /// The version is taken under the lock, so that a reader of the version finds the change.
  private func change(_ change: (inout State) -> Void) {
    state.withLock { state in
      change(&state)
      state.version = versions.next()
    }
  }

  func received(_ event: BatchEvent) {
    switch event {
    case .started, .progressed, .received: break
    case .failed(let item, let error):
      change { state in
        guard state.failures.count < Self.maximumFailures else { return }
        state.failures.append((Redaction.shown(item.request.url), error.description))
      }
    case .advanced(let progress): advance(progress)
    case .finished(let result):
      advance(result.progress)
      end(.succeeded, nil)
    }
  }

  private func advance(_ progress: BatchProgress) {
    let at = (ContinuousClock.now - began) / .seconds(1)
    change { state in
      state.progress = progress
      if let last = state.rates.last, at - last.at < 0.25 { return }
      state.rates.append((at, progress.bytesPerSecond, progress.itemsPerSecond))
      guard state.rates.count > Self.maximumPoints else { return }
      // Every other point is enough for the older part.
      state.rates = state.rates.enumerated().compactMap { $0.offset % 2 == 0 ? $0.element : nil }
    }
  }

  func end(_ outcome: RecordedCall.Outcome, _ reason: String?) {
    change { state in
      guard state.outcome == .running else { return }
      state.outcome = outcome
      state.reason = reason
    }
  }
}

/// Reports the events of a run to its recorded batch; releasing it before the end marks it as abandoned.
final class BatchRecorder: BatchObserver {
  private let batch: RecordedBatch

  init(_ batch: RecordedBatch) {
    self.batch = batch
  }

  deinit {
    batch.end(.abandoned, nil)
  }

  func received(_ event: BatchEvent) { batch.received(event) }

  func failed(_ error: FreshetError) {
    batch.end(error == .cancelled ? .abandoned : .failed, error.description)
  }
}
