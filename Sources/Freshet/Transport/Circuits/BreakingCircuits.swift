import Synchronization

extension Transport {
  /// Stops sending requests to a host that fails repeatedly, so that it can recover and calls do not wait.
  ///
  /// - While the circuit of a host is open, requests to it are not sent and fail immediately with
  ///   ``FreshetError/ConnectionFailure/suspended``. ``RetryPolicy`` does not retry that.
  /// - After the pause, one request is sent as a probe. Others fail until its response head, not its
  ///   whole body, has arrived.
  /// - Each origin (scheme, host and port) has its own circuit, hops of redirects included.
  /// - A cancelled request does not count.
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
      guard let host = URLOrigin(request.url), let probe = CircuitProbe(board, host, clock) else {
        throw .connection(.suspended, url: Redaction.shown(request.url))
      }
      return probe
    }
  }
}

/// The circuits of all hosts; those in their initial state are not stored.
final class CircuitBoard: Sendable {
  let policy: CircuitPolicy
  private let circuits = Mutex<[URLOrigin: Circuit]>([:])

  init(_ policy: CircuitPolicy) {
    self.policy = policy
  }

  func admit(_ host: URLOrigin, now: Duration) -> Circuit.Pass? {
    circuits.withLock { circuits in
      var circuit = circuits[host] ?? Circuit(policy)
      defer { circuits[host] = circuit.isBlank ? nil : circuit }
      return circuit.admit(now: now)
    }
  }

  func record(
    _ outcome: Circuit.Outcome,
    of pass: Circuit.Pass,
    at host: URLOrigin,
    now: Duration
  ) {
    circuits.withLock { circuits in
      var circuit = circuits[host] ?? Circuit(policy)
      circuit.record(outcome, of: pass, now: now)
      circuits[host] = circuit.isBlank ? nil : circuit
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
