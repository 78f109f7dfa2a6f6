/// The conditions under which requests to a failing host are suspended.
public struct CircuitPolicy: Sendable, Hashable {
  /// The number of consecutive failures after which a host is suspended; 5 by default.
  public var failures = 5
  /// The time before one request probes whether the host has recovered; 30 seconds by default.
  public var pause: Duration = .seconds(30)
  /// The statuses that count as failures, in addition to failed connections and timeouts.
  ///
  /// 500, 502, 503 and 504 by default.
  public var statuses: Set<HTTPStatus> = [500, 502, 503, 504]

  /// Creates the default policy, changed by a closure.
  public init(_ configure: (inout CircuitPolicy) -> Void = { _ in }) {
    configure(&self)
  }

  /// Suspends a host for 30 seconds after five consecutive failures.
  public static let standard = CircuitPolicy()
}

/// The circuit breaker of one host: closed (requests pass), open (none pass), half open (one probes).
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
    /// The request was cancelled, or failed for a reason unrelated to the host.
    case unknown
  }

  /// The permission to send a request; outcomes from an earlier period are ignored.
  struct Pass: Sendable, Hashable {
    fileprivate let period: Int
  }

  private let policy: CircuitPolicy
  private(set) var phase = Phase.closed(failures: 0)
  private var period = 0
  /// The number of passes without a final outcome.
  private var passCount = 0

  init(_ policy: CircuitPolicy) {
    self.policy = policy
  }

  /// Returns a pass if a request may be sent, otherwise `nil`.
  mutating func admit(now: Duration) -> Pass? {
    switch phase {
    case .closed: break
    case .open(let moment) where now >= moment: phase = .halfOpen
    case .open, .halfOpen: return nil
    }
    passCount += 1
    return Pass(period: period)
  }

  /// The time before the next probe; zero if one is under way.
  func pause(now: Duration) -> Duration {
    if case .open(let moment) = phase { max(moment - now, .zero) } else { .zero }
  }

  /// Records an outcome of a request; each pass ends with one outcome other than `answered`.
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
      // The next request probes instead.
      period += 1
      phase = .open(until: now)
    case (.closed, .unknown), (.open, _):
      break
    }
  }

  /// Returns whether the next request would be sent, and none is under way.
  func isIdle(now: Duration) -> Bool {
    guard passCount == 0 else { return false }
    return switch phase {
    case .closed: true
    case .open(let moment): moment <= now
    case .halfOpen: false
    }
  }

  /// A Boolean value that indicates whether the circuit is in its initial state and has no open passes.
  var isBlank: Bool { phase == .closed(failures: 0) && passCount == 0 }
}
