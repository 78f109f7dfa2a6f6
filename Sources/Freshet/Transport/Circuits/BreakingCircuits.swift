import Synchronization

extension Transport {
  /// Leaves a host alone that fails again and again, so that it can recover and nobody waits.
  ///
  /// - While a host is left alone, requests to it fail at once with
  ///   ``FreshetError/ConnectionFailure/suspended``, unsent. ``RetryPolicy`` does not retry that.
  /// - After the pause one request tries; others fail until it has been answered: until its head has
  ///   come, not its whole body.
  /// - Each scheme, host and port has a circuit of its own, hops of redirects included.
  /// - A cancelled request says nothing of its host.
  ///
  /// - Parameters:
  ///   - policy: When a host is left alone, and for how long.
  ///   - clock: What the pause is measured with.
  /// - Returns: A transport whose copies share the circuits.
  public func breakingCircuits(
    _ policy: CircuitPolicy = .standard,
    clock: any Clock<Duration> = ContinuousClock()
  ) -> some Transport {
    let (board, clock) = (CircuitBoard(policy), CallClock(clock))
    return WitnessedTransport(base: self, name: "breakingCircuits", scope: .hop) {
      request throws(FreshetError) in
      guard let host = URLOrigin(request.url), let probe = CircuitProbe(board, host, clock) else {
        throw .connection(.suspended, url: Redaction.shown(request.url))
      }
      return probe
    }
  }
}

/// The circuits of all hosts; those that know nothing are not kept.
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

/// What one request will tell of its host: the first thing counts, and dropping it tells nothing.
private final class CircuitProbe: TransferWitness {
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
  /// Whether it says something of the host's health.
  fileprivate var blamesHost: Bool {
    switch self {
    case .connection(.suspended, _): false
    case .connection: true
    case .timedOut(let phase, _): phase != .total
    default: false
    }
  }
}
