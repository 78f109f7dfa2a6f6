#if Redis && !canImport(Darwin)
import Freshet
import FreshetEssentials

/// The entries that one run has taken from a frontier, and what it has to report of them.
///
/// A pure value; time is an argument. ``FrontierConsumer`` executes its turns.
struct FrontierLedger: Sendable {
  /// The end of an entry, which the server has not confirmed yet.
  enum Report: Sendable, Hashable {
    case done(String)
    /// With `isLasting`, another attempt would end in the same way; otherwise the server asks for the pause.
    case failed(String, reason: String, isLasting: Bool, pause: Duration)
    case back(String, attempts: Int)
  }

  /// An entry that the server has delivered.
  struct Entry: Sendable {
    let id: String
    /// The number of earlier attempts whose workers have not reported an end.
    let attempts: Int
    /// The request; `nil` if it was written by another version, or is damaged.
    let request: Request?
  }

  /// One exchange with the server.
  struct Turn: Sendable {
    var reports: [Report]
    /// A Boolean value that indicates whether the lease of the held entries is renewed.
    var renews = false
    var held: [String] = []
    /// The entries whose attempts begin.
    var begun: [Entry] = []
    var wanted = 0
    var takesOver = false
    /// A Boolean value that indicates whether nothing follows, so that the server can forget the worker.
    var leaves = false
    let start: ContinuousClock.Instant
  }

  struct Answer: Sendable {
    let id: String
    let hasEnded: Bool
    let place: String
    let entries: [Entry]
  }

  /// The largest number of entries that are taken at once.
  static let portion = 32
  /// The largest number of reports that are sent at once.
  static let most = 500
  /// The pauses between two looks into an empty queue, and between two attempts during an outage.
  static let pauses = (shortest: Duration.milliseconds(50), longest: Duration.milliseconds(500))
  /// The longest `Retry-After` that a further attempt waits for, as ``SharedLimiter`` does.
  static let longestRetryAfter = Duration.seconds(3_600)
  /// The number of attempts to give back what a run has left.
  static let farewells = 3

  private let lease: Duration
  /// The name of the frontier in the server, since it is known.
  private(set) var id = ""
  /// The place in the search for entries of dead workers.
  private(set) var place = "0-0"
  /// The entries that the run has, by their positions.
  private var held: [Int: Entry] = [:]
  /// The entries whose attempts the server has not recorded yet.
  ///
  /// The server cannot know whether a delivery arrives, so an attempt begins with the next exchange.
  private var received: [Entry] = []
  /// The entries that the run has not asked for yet.
  private var buffer: [(entry: Entry, request: Request)] = []
  private var nextIndex = 0
  private var reports: [Report] = []
  private(set) var isFinishing = false
  private var hasLeft = false
  private var isWaiting = false
  /// The end of the entries, with its failure.
  private var end: Result<Void, FreshetError>?
  private var nextLook: ContinuousClock.Instant?
  private var nextRenewal: ContinuousClock.Instant?
  private var pause = Self.pauses.shortest
  /// The time since which the server has answered without a long gap, and its last answer.
  private var contact: (since: ContinuousClock.Instant, last: ContinuousClock.Instant)?
  private var notBefore: ContinuousClock.Instant?
  private var failures = 0

  init(lease: Duration) {
    self.lease = lease
  }

  /// A Boolean value that indicates whether there will be no further turn.
  ///
  /// A frontier that has ended, or was never reached, has no worker to forget.
  var isOver: Bool {
    if end != nil { return true }
    return isFinishing && (hasLeft || id.isEmpty || failures >= Self.farewells)
  }
}

// MARK: - Run

extension FrontierLedger {
  /// Hands out the next entry.
  ///
  /// - Returns: Its request, or the end; `nil` if there is none yet.
  mutating func next() -> Result<Request?, FreshetError>? {
    if isFinishing { return .success(nil) }
    if case .failure(let error) = end { return .failure(error) }
    guard buffer.isEmpty else {
      let (entry, request) = buffer.removeFirst()
      held[nextIndex] = entry
      nextIndex += 1
      isWaiting = false
      return .success(request)
    }
    if case .success = end { return .success(nil) }
    isWaiting = true
    return nil
  }

  mutating func ended(_ index: Int, _ failure: FreshetError?) {
    guard let id = held.removeValue(forKey: index)?.id else { return }
    guard let failure else { return reports.append(.done(id)) }
    reports.append(
      .failed(
        id,
        reason: "\(failure)",
        isLasting: failure.isLasting,
        pause: min(failure.head?.retryAfter() ?? .zero, Self.longestRetryAfter)
      )
    )
  }

  /// Gives back what has not ended.
  mutating func finish() {
    guard !isFinishing else { return }
    isFinishing = true
    isWaiting = false
    let entries = held.sorted { $0.key < $1.key }.map(\.value) + buffer.map(\.entry) + received
    reports += entries.map(\.back)
    held = [:]
    buffer = []
    received = []
    failures = 0
    notBefore = nil
  }
}

// MARK: - Turns

extension FrontierLedger {
  /// Returns the next exchange, if one is due.
  func turn(at now: ContinuousClock.Instant) -> Turn? {
    guard !isOver, now >= notBefore ?? now else { return nil }
    let renews = !isFinishing && (nextRenewal.map { now >= $0 } ?? false)
    let looks = !isFinishing && isWaiting && received.isEmpty && now >= nextLook ?? now
    guard !reports.isEmpty || renews || looks || !received.isEmpty || isFinishing else {
      return nil
    }
    var turn = Turn(reports: Array(reports.prefix(Self.most)), start: now)
    turn.leaves = isFinishing && reports.count <= Self.most
    turn.begun = received
    if renews {
      turn.renews = true
      turn.held = held.values.map(\.id) + buffer.map(\.entry.id)
    }
    if looks {
      turn.wanted = Self.portion
      // Not after an outage: the others may be about to renew their leases.
      turn.takesOver = contact.map { now - $0.last < lease && now - $0.since >= lease } ?? false
    }
    return turn
  }

  mutating func answered(_ turn: Turn, _ answer: Answer, at now: ContinuousClock.Instant) {
    id = answer.id
    place = answer.place
    failures = 0
    notBefore = nil
    if let contact, now - contact.last < lease {
      self.contact = (contact.since, now)
    } else {
      contact = (now, now)
    }
    reports.removeFirst(turn.reports.count)
    if isFinishing {
      reports += answer.entries.map(\.back)
    } else {
      for entry in received {
        if let request = entry.request {
          buffer.append((entry, request))
        } else {
          let reason = "it was written by another version, or is damaged"
          reports.append(.failed(entry.id, reason: reason, isLasting: true, pause: .zero))
        }
      }
      received = answer.entries
    }
    if turn.renews || nextRenewal == nil { nextRenewal = turn.start + lease / 3 }
    if turn.wanted > 0 {
      pause = answer.entries.isEmpty ? min(pause * 2, Self.pauses.longest) : Self.pauses.shortest
      nextLook = answer.entries.isEmpty ? now + pause : nil
    }
    if turn.leaves { hasLeft = true }
    if answer.hasEnded, buffer.isEmpty, received.isEmpty { end = .success(()) }
  }

  /// Records that the server has not answered.
  mutating func failed(at now: ContinuousClock.Instant) {
    failures += 1
    contact = nil
    // The pool has growing pauses of its own between its attempts to connect.
    notBefore = now + min(Self.pauses.shortest * (1 << min(failures, 5)), Self.pauses.longest)
  }

  /// Ends the entries with a failure.
  mutating func fail(_ error: FreshetError) {
    if end == nil { end = .failure(error) }
  }
}

extension FrontierLedger.Entry {
  /// The report that gives it back: its attempt does not count.
  fileprivate var back: FrontierLedger.Report { .back(id, attempts: attempts) }
}

extension FreshetError {
  /// A Boolean value that indicates whether another attempt would end in the same way.
  fileprivate var isLasting: Bool {
    switch self {
    // Some servers limit the rate with a 403 that has a `Retry-After`.
    case .status(let head, _): !isTransient && head.retryAfter() == nil
    case .invalidRequest, .limitExceeded, .redirect: true
    default: false
    }
  }
}
#endif
