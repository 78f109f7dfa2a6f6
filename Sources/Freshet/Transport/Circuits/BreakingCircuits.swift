import Synchronization

extension Transport {
  /// Stops sending requests to a host that fails repeatedly, so that it can recover and calls do not wait.
  ///
  /// - While the circuit of a host is open, requests to it are not sent and fail immediately with
  ///   ``FreshetError/ConnectionFailure/suspended(for:)``, which has the rest of the pause.
  ///   ``RetryPolicy`` does not retry that.
  /// - After the pause, one request is sent as a probe. Others fail until its response head, not its
  ///   whole body, has arrived.
  /// - Each origin (scheme, host and port) has its own circuit, hops of redirects included.
  /// - A cancelled request does not count.
  /// - Beyond 256 origins, the failures of those to which the next request would be sent are forgotten.
  ///
  /// - Parameters:
  ///   - policy: The number and kind of failures that open a circuit, and the pause that follows.
  ///   - clock: The clock that measures the pause.
  /// - Returns: A transport whose copies share the circuits.
  public func breakingCircuits(
    _ policy: CircuitPolicy = .standard,
    clock: any Clock<Duration> = ContinuousClock()
  ) -> some Transport {
    let (board, clock) = (CircuitBoard(policy), CallClock(clock))
    return ObservedTransport(base: self, name: "breakingCircuits", scope: .hop) {
      request throws(FreshetError) in
      let host = URLOrigin(request.url)
      if let host, let probe = CircuitProbe(board, host, clock) { return probe }
      let pause = host.map { board.pause(of: $0, now: clock.now) } ?? .zero
      throw .connection(.suspended(for: pause), url: Redaction.shown(request.url))
    }
  }
}

/// The circuits of all hosts; those in their initial state are not stored.
final class CircuitBoard: Sendable {
  let policy: CircuitPolicy
  private let state = Mutex(State())

  private struct State {
    var circuits: [URLOrigin: Circuit] = [:]
    /// The number of circuits above which those that need not be stored are removed.
    var limit = State.minimumLimit
    static let minimumLimit = 256
  }

  init(_ policy: CircuitPolicy) {
    self.policy = policy
  }

  /// The number of stored circuits.
  var count: Int { state.withLock { $0.circuits.count } }

  func admit(_ host: URLOrigin, now: Duration) -> Circuit.Pass? {
    change(host, now: now) { $0.admit(now: now) }
  }

  func pause(of host: URLOrigin, now: Duration) -> Duration {
    state.withLock { $0.circuits[host]?.pause(now: now) ?? .zero }
  }

  func record(
    _ outcome: Circuit.Outcome,
    of pass: Circuit.Pass,
    at host: URLOrigin,
    now: Duration
  ) {
    change(host, now: now) { $0.record(outcome, of: pass, now: now) }
  }

  private func change<Result: Sendable>(
    _ host: URLOrigin,
    now: Duration,
    _ body: (inout Circuit) -> Result
  ) -> Result {
    state.withLock { state in
      var circuit = state.circuits[host] ?? Circuit(policy)
      let result = body(&circuit)
      state.circuits[host] = circuit.isBlank ? nil : circuit
      if state.circuits.count > state.limit {
        state.circuits = state.circuits.filter { !$0.value.isIdle(now: now) }
        state.limit = max(State.minimumLimit, state.circuits.count * 2)
      }
      return result
    }
  }
}

/// The observer of one request: its first outcome is recorded, or `unknown` if it is released before.
private final class CircuitProbe: TransferObserver {
  private let board: CircuitBoard
  private let host: URLOrigin
  private let clock: CallClock
  private var pass: Circuit.Pass?

  init?(_ board: CircuitBoard, _ host: URLOrigin, _ clock: CallClock) {
    guard let pass = board.admit(host, now: clock.now) else { return nil }
    self.board = board
    self.host = host
    self.clock = clock
    self.pass = pass
  }

  deinit {
    record(.unknown)
  }

  func note(_ event: TransferEvent) -> TransferEvent {
    switch event {
    case .head(let head) where board.policy.statuses.contains(head.status): record(.failure)
    case .head: answered()
    case .finished: record(.success)
    default: break
    }
    return event
  }

  func end(_ error: FreshetError) {
    record(error.blamesHost ? .failure : .unknown)
  }

  private func answered() {
    guard let pass else { return }
    board.record(.answered, of: pass, at: host, now: clock.now)
  }

  private func record(_ outcome: Circuit.Outcome) {
    guard let pass = pass.take() else { return }
    board.record(outcome, of: pass, at: host, now: clock.now)
  }
}

extension FreshetError {
  /// A Boolean value that indicates whether the error counts as a failure of the host.
  fileprivate var blamesHost: Bool {
    switch self {
    case .connection(.suspended, _): false
    case .connection: true
    case .timedOut(let phase, _): phase != .total
    default: false
    }
  }
}
