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
    CircuitTransport(base: self, board: CircuitBoard(policy), clock: CallClock(clock))
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

struct CircuitTransport: Transport {
  let base: any Transport
  let board: CircuitBoard
  let clock: CallClock

  func send(_ request: Request) -> Transfer {
    Transfer(hops: request) { Events(request: $0, transport: self) }
  }

  func addedFields(for request: Request) -> HTTPHeaders {
    base.addedFields(for: request)
  }
}

extension CircuitTransport {
  struct Events: AsyncIteratorProtocol {
    let request: Request
    let transport: CircuitTransport
    var probe: CircuitProbe?
    var events: Transfer.Iterator?

    init(request: Request, transport: CircuitTransport) {
      self.request = request
      self.transport = transport
    }

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> TransferEvent? {
      if events == nil { try begin() }
      do {
        let event = try await events?.next(isolation: actor)
        switch event {
        case .head(let head) where transport.board.policy.statuses.contains(head.status):
          probe?.record(.failure)
        case .head:
          probe?.answered()
        case .finished:
          probe?.record(.success)
        default: break
        }
        return event
      } catch {
        probe?.record(error.blamesHost ? .failure : .unknown)
        throw error
      }
    }

    private mutating func begin() throws(FreshetError) {
      let probe = URLOrigin(request.url).flatMap { CircuitProbe(transport, $0) }
      guard let probe else {
        throw .connection(.suspended, url: Redaction.shown(request.url))
      }
      self.probe = probe
      events = transport.base.send(request).makeAsyncIterator()
    }
  }
}

/// What one request will tell of its host: the first thing counts, and dropping it tells nothing.
final class CircuitProbe {
  private let transport: CircuitTransport
  private let host: URLOrigin
  private var pass: Circuit.Pass?

  init?(_ transport: CircuitTransport, _ host: URLOrigin) {
    guard let pass = transport.board.admit(host, now: transport.clock.now) else { return nil }
    self.transport = transport
    self.host = host
    self.pass = pass
  }

  deinit {
    record(.unknown)
  }

  func answered() {
    guard let pass else { return }
    transport.board.record(.answered, of: pass, at: host, now: transport.clock.now)
  }

  func record(_ outcome: Circuit.Outcome) {
    guard let pass = pass.take() else { return }
    transport.board.record(outcome, of: pass, at: host, now: transport.clock.now)
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
