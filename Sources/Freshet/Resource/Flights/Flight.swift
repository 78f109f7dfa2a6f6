import Synchronization

/// One run of the network's part of a fetch, for all who wait for it.
///
/// It goes at its own pace: what it delivers waits for its readers, and no reader waits for another.
final class Flight: Sendable {
  let urgency: Urgency
  /// The step with which the first subscriber came.
  let leader: Fetch.Departure
  private let audience = Mutex(Audience())
  private let runner: Mutex<Runner?>
  private let boarded = Atomic(0)
  private let hasResult = Atomic(false)

  /// Who reads it: nobody, as long as its host is alone.
  private struct Audience {
    var broadcast: Broadcast<Fetch, FreshetError>?
    /// What the first reader gets, who may come late.
    var progress: TransferProgress?
    var step: Fetch?
    /// That it has ended, and the failure if there was one.
    var end: FreshetError??
  }

  /// Whose task it is.
  enum Runner {
    case own(Task<Void, Never>)
    case host(FlightHost)
  }

  init(_ leader: Fetch.Departure, urgency: Urgency) {
    self.leader = leader
    self.urgency = urgency
    runner = Mutex(nil)
  }

  /// A flight that its host's task runs.
  init(_ leader: Fetch.Departure, by host: FlightHost) {
    self.leader = leader
    urgency = host.urgency
    runner = Mutex(.host(host))
  }

  /// How many share it besides the one who asks.
  var companionCount: Int { max(0, boarded.load(ordering: .relaxed) - 1) }

  /// Whether its result has been sent: what follows is only its end.
  var isDone: Bool { hasResult.load(ordering: .relaxed) }

  /// Whether nobody has boarded besides the one who leads it.
  var isAlone: Bool { boarded.load(ordering: .relaxed) < 2 }

  /// Counts one who boards; called while the registry is locked.
  func board() {
    boarded.add(1, ordering: .relaxed)
  }

  /// Sets what is cancelled with it; called by whoever starts it, before anybody can leave.
  func onCancel(_ runner: Runner) {
    self.runner.withLock { $0 = runner }
  }

  func cancel() {
    switch runner.withLock({ $0 }) {
    case .own(let task): task.cancel()
    case .host(let host): host.cancel()
    case nil: break
    }
  }

  /// The readers' end, made for the first one.
  var broadcast: Broadcast<Fetch, FreshetError> {
    audience.withLock { audience in
      if let broadcast = audience.broadcast { return broadcast }
      // A chain delivers a handful of steps, so that nothing needs to wait for a slow reader.
      let broadcast = Broadcast<Fetch, FreshetError>(limit: .max)
      if let progress = audience.progress { broadcast.send(progress) }
      if let step = audience.step { broadcast.post(step) }
      if let failure = audience.end { broadcast.end(failure) }
      audience = Audience(broadcast: broadcast)
      return broadcast
    }
  }

  func send(_ step: Fetch) {
    if step.isResult { hasResult.store(true, ordering: .relaxed) }
    let broadcast = audience.withLock { audience in
      guard audience.broadcast == nil else { return audience.broadcast }
      if case .progress(let progress) = step {
        audience.progress = progress
      } else {
        audience.step = step
      }
      return nil
    }
    guard let broadcast else { return }
    if case .progress(let progress) = step {
      broadcast.send(progress)
    } else {
      broadcast.post(step)
    }
  }

  /// Tells that nothing follows.
  func finish(_ failure: FreshetError?) {
    let broadcast = audience.withLock { audience in
      if audience.broadcast == nil { audience.end = .some(failure) }
      return audience.broadcast
    }
    broadcast?.end(failure)
  }

  /// Waits until it has ended and all that it held is put down; at most for so long, and no longer
  /// than the task is not cancelled.
  func end(within limit: Duration, isolation actor: isolated (any Actor)?) async {
    let reader = broadcast.reader()
    let alarm = Task {
      // A cancelled sleep means that nobody waits any more.
      if (try? await Task.sleep(for: limit)) != nil { reader.giveUp() }
    }
    defer { alarm.cancel() }
    do throws(FreshetError) {
      while try await reader.next(isolation: actor) != nil {}
    } catch {
      // However it ends, it has ended, or it is waited for no more.
    }
  }
}

extension Fetch {
  /// Whether the chain that leads to it ends with it.
  var isResult: Bool {
    switch self {
    case .downloaded: true
    case .resource(let resource): resource.isFinal
    case .wanted, .found, .expired, .progress: false
    }
  }
}
