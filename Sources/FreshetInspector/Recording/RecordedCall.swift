import Freshet
import FreshetEssentials
import Synchronization

/// One row of the page: a fetch or a call, running or ended.
final class RecordedCall: Sendable {
  struct StageReply {
    var stage: Int
    var step: Fetch.Kinds
    var reply: ObservedReply
    /// The time since the beginning.
    var at: Duration
  }

  struct Detour {
    var name: String
    var text: String
    var at: Duration
    var pause = Duration.zero
  }

  enum Outcome: String {
    case running
    case succeeded
    case failed
    /// Its reader has stopped reading.
    case abandoned
  }

  struct State {
    var outcome = Outcome.running
    var ended: Duration?
    var replies: [StageReply] = []
    var detours: [Detour] = []
    var head: ResponseHead?
    var received: Int64 = 0
    var total: Int64?
    var body = Data()
    /// A Boolean value that indicates whether a part of the body was dropped, so that the rest is not kept either.
    var isBodyDropped = false
    var source: Resource.Source?
    var freshness: Resource.Freshness?
    var explanation = Explanation()
    var transfer: TransferRecord?
    /// The time at which the measured transfer had ended.
    var metricsAt: Duration?
    var error: FreshetError?
    var refresh: (at: Duration, words: [String])?
    var version = 0

    var metrics: TransferMetrics? { transfer?.metrics }
  }

  let id: Int
  let client: Int
  let request: Request
  /// The stages of a fetch; `nil` for a call.
  let stages: ObservedStages?
  let date: Date
  private let began = ContinuousClock.now
  private let state: Mutex<State>
  private unowned let recorder: Recorder
  /// The counter of the recorder; reading it here needs no check of the unowned reference.
  private let versions: VersionCounter
  /// The largest body that is kept, in bytes; 0 if none is.
  let bodyLimit: Int

  /// The largest number of replies and of detours that are kept.
  private static let maximumNotes = 128

  init(
    _ request: Request,
    _ stages: ObservedStages?,
    id: Int,
    client: Int,
    date: Date,
    _ recorder: Recorder
  ) {
    state = Mutex(State(version: recorder.versions.next()))
    versions = recorder.versions
    bodyLimit = recorder.bodies.limit
    self.id = id
    self.client = client
    self.request = request
    self.stages = stages
    self.date = date
    self.recorder = recorder
  }

  var now: State { state.withLock(\.self) }
  var version: Int { state.withLock { $0.version } }
  /// The number of bytes of the body that is kept.
  var bodyCount: Int { state.withLock { $0.body.count } }
  /// The time since the beginning.
  var elapsed: Duration { ContinuousClock.now - began }

  /// Changes the state.
  ///
  /// The version is taken under the lock, so that a reader of the version finds the change.
  private func change(_ change: (inout State) -> Void) {
    state.withLock { state in
      change(&state)
      state.version = versions.next()
    }
  }

  /// Drops the body to make room for others.
  func dropBody() {
    change { state in
      state.body = Data()
      state.isBodyDropped = true
    }
  }
}

// MARK: - A fetch

extension RecordedCall {
  func replied(_ index: Int, _ step: Fetch.Kinds, _ reply: ObservedReply) {
    let at = elapsed
    state.withLock { state in
      guard state.replies.count < Self.maximumNotes else { return }
      if state.replies.isEmpty { state.replies.reserveCapacity(12) }
      state.replies.append(StageReply(stage: index, step: step, reply: reply, at: at))
      // What has only passed shows with the next change.
      guard reply != .passed else { return }
      state.version = versions.next()
      if case .step(.downloaded) = reply, step.isEmpty { state.metricsAt = at }
    }
  }

  func delivered(_ event: Event<Resource>) {
    switch event {
    case .progress(let progress):
      change { state in
        state.received = progress.completed
        state.total = progress.total
      }
    case .value(let resource): delivered(resource)
    }
  }

  private func delivered(_ resource: Resource) {
    let bytes = kept(resource.body)
    let change: (inout State) -> Void = { state in
      state.head = resource.response.head
      state.source = resource.source
      state.freshness = resource.freshness
      state.explanation = resource.explanation
      state.received = resource.body.length
      state.total = resource.body.length
      state.transfer = resource.transfer
      state.error = resource.replacedFailure?.withoutBody
      state.body = bytes ?? Data()
    }
    if resource.isFinal { end(.succeeded, change) } else { self.change(change) }
    // It may be dropped at once, so it has to be there.
    if bodyLimit > 0 { recorder.countBody(of: self) }
  }

  /// The bytes of a body that are kept: those of a short one in memory.
  private func kept(_ body: ResourceBody) -> Data? {
    guard bodyLimit > 0, body.length > 0, body.length <= Int64(bodyLimit), body.fileURL == nil,
      let bytes = try? body.data(limit: bodyLimit)
    else { return nil }
    return bytes
  }

  func refreshed(_ outcome: Result<Resource, FreshetError>) {
    let at = elapsed
    let words: [String] =
      switch outcome {
      case .success(let resource): resource.explanation.map(\.description)
      case .failure(let error): [error.description]
      }
    change { $0.refresh = (at, words) }
  }

  func failed(_ error: FreshetError) {
    end(error == .cancelled ? .abandoned : .failed) { state in
      state.error = error.withoutBody
      if let explanation = error.explanation { state.explanation = explanation }
      if case .status(let head, let body) = error {
        state.head = head
        state.received = Int64(body.count)
        state.body = body.count <= bodyLimit ? body : Data()
      }
    }
    if bodyLimit > 0 { recorder.countBody(of: self) }
  }

  func end(_ outcome: Outcome, _ more: (inout State) -> Void = { _ in }) {
    let at = elapsed
    let received = state.withLock { state -> (source: Resource.Source?, bytes: Int64)? in
      guard state.outcome == .running else { return nil }
      state.outcome = outcome
      state.ended = at
      more(&state)
      state.version = versions.next()
      return (state.source, state.transfer?.metrics.bytesReceived ?? state.received)
    }
    guard let received else { return }
    recorder.ended(outcome, from: received.source, bytes: received.bytes)
  }

  /// Marks the row as abandoned if it is running; that of most readers has ended.
  func abandon() {
    guard state.withLock({ $0.outcome == .running }) else { return }
    end(.abandoned)
  }
}

// MARK: - A call

extension RecordedCall {
  func received(_ event: TransferEvent) {
    let at = elapsed
    switch event {
    case .sent, .interim: break
    case .waitingForConnectivity:
      add(Detour(name: "network", text: "waiting for the network", at: at))
    case .redirected(let redirect):
      let target = Redaction.shown(redirect.target)
      add(Detour(name: "redirect", text: "redirected to \(target)", at: at))
    case .retrying(let attempt, let pause, let reason):
      let text = "attempt \(attempt) after \(pause.rounded): \(reason)"
      add(Detour(name: "retry", text: text, at: at, pause: pause))
    case .head(let head):
      change { $0.head = head }
    case .body(let chunk):
      change { state in
        state.received += Int64(chunk.count)
        guard bodyLimit > 0, !state.isBodyDropped else { return }
        if state.received > Int64(bodyLimit) {
          state.body = Data()
          state.isBodyDropped = true
        } else {
          state.body.append(chunk)
        }
      }
      if bodyLimit > 0 { recorder.countBody(of: self) }
    case .finished(let metrics):
      change { state in
        state.transfer = TransferRecord(metrics)
        state.metricsAt = at
        state.source = .network
      }
    }
  }

  private func add(_ detour: Detour) {
    change { state in
      guard state.detours.count < Self.maximumNotes else { return }
      state.detours.append(detour)
    }
  }
}

extension FreshetError {
  /// The error without the body of its response, which its description does not contain.
  fileprivate var withoutBody: FreshetError {
    if case .status(let head, _) = self { .status(head, body: Data()) } else { self }
  }
}

// MARK: - Observers

/// Reports the events of a fetch or call to its row; releasing it before the end marks the row as abandoned.
final class RowObserver: FetchObserver, CallObserver {
  private let row: RecordedCall
  // The row refers to it without owning it.
  private let recorder: Recorder

  init(_ row: RecordedCall, _ recorder: Recorder) {
    self.row = row
    self.recorder = recorder
  }

  deinit {
    row.abandon()
  }

  func stageReplied(_ index: Int, to step: Fetch.Kinds, _ reply: ObservedReply) {
    row.replied(index, step, reply)
  }

  func delivered(_ event: Event<Resource>) { row.delivered(event) }
  func refreshed(_ outcome: Result<Resource, FreshetError>) { row.refreshed(outcome) }
  func failed(_ error: FreshetError) { row.failed(error) }
  func received(_ event: TransferEvent) { row.received(event) }

  func ended(_ error: FreshetError?) {
    if let error { row.failed(error) } else { row.end(.succeeded) }
  }
}
