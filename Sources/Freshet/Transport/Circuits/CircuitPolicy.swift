/// When a host is left alone.
public struct CircuitPolicy: Sendable, Hashable {
  /// After how many failures in a row; 5 by default.
  public var failures = 5
  /// For how long, before one request tries whether it is back; 30 seconds by default.
  public var pause: Duration = .seconds(30)
  /// Which statuses are failures, beside connections that fail and timeouts.
  public var statuses: Set<HTTPStatus> = [500, 502, 503, 504]

  /// Makes the default policy, changed by a closure.
  public init(_ configure: (inout CircuitPolicy) -> Void = { _ in }) {
    configure(&self)
  }

  /// Leaves a host alone for 30 seconds after five failures in a row.
  public static let standard = CircuitPolicy()
}

/// What is known of one host: closed (requests pass), open (none does), half open (one tries).
struct Circuit: Sendable, Hashable {
  enum Phase: Sendable, Hashable {
    case closed(failures: Int)
    case open(until: Duration)
    case halfOpen
  }

  enum Outcome: Sendable {
    /// The response has begun; its body may still fail.
    case answered
    case success
    case failure
    /// It was cancelled, or failed for reasons of its own: it says nothing of the host.
    case unknown
  }

  /// A request's share in the circuit; results of an earlier period do not count.
  struct Pass: Sendable, Hashable {
    fileprivate let period: Int
  }

  private let policy: CircuitPolicy
  private(set) var phase = Phase.closed(failures: 0)
  private var period = 0
  /// How many passes have not told everything yet.
  private var passCount = 0

  init(_ policy: CircuitPolicy) {
    self.policy = policy
  }

  /// Whether a request may be sent: its pass, or `nil`.
  mutating func admit(now: Duration) -> Pass? {
    switch phase {
    case .closed: break
    case .open(let moment) where now >= moment: phase = .halfOpen
    case .open, .halfOpen: return nil
    }
    passCount += 1
    return Pass(period: period)
  }

  /// Takes what a request tells; each pass ends with one outcome other than `answered`.

  mutating func record(_ outcome: Outcome, of pass: Pass, now: Duration) {
    if outcome != .answered { passCount -= 1 }
    guard pass.period == period else { return }
    switch (phase, outcome) {
    case (.closed, .answered):
      break
    case (.closed, .success):
      phase = .closed(failures: 0)
    case (.closed(let failures), .failure) where failures + 1 < policy.failures:
      phase = .closed(failures: failures + 1)
    case (.closed, .failure), (.halfOpen, .failure):
      period += 1
      phase = .open(until: now + policy.pause)
    case (.halfOpen, .answered), (.halfOpen, .success):
      period += 1
      phase = .closed(failures: 0)
    case (.halfOpen, .unknown):
      // The next request tries in its place.
      period += 1
      phase = .open(until: now)
    case (.closed, .unknown), (.open, _):
      break
    }
  }

  /// Whether it knows nothing, and nobody will tell it anything.
  var isBlank: Bool { phase == .closed(failures: 0) && passCount == 0 }
}
