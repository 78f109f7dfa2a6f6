import FreshetEssentials
import Synchronization

/// The state that the store, its writer and its readers share.
final class DiskShared: Sendable {
  let layout: DiskLayout
  let configuration: DiskStore.Configuration
  let tuning: DiskStore.Tuning
  let touches = DiskTouches()
  let verified = DiskVerified()
  /// The invalidations that could not be written so far; the responses they concern are not served.
  let invalidations = Mutex(Invalidations())
  /// The responses that could not be marked as expired: the time when each was received, by key.
  let expired = Mutex<[CacheKey: Date]>([:])
  private let listener: (@Sendable (DiskStore.Diagnostic) -> Void)?
  private let phase = Mutex(Phase.unopened)
  private let isFailing = Atomic(false)
  private let isUnreadable = Atomic(false)
  /// The failures of readers since the last successful read, and of the writer since its last
  /// commit.
  private let readFailures = Mutex((readers: DiskReadFailures(), writer: DiskReadFailures()))
  private let ownLimits: Mutex<DiskLimits>

  /// The state of the database.
  enum Phase: Sendable {
    case unopened
    /// Readers that were opened for another generation open again.
    ///
    /// A database that cannot be written is only read; an immutable one has no files beside it.
    case open(generation: Int, access: Access)
    case failed(reason: String, at: ContinuousClock.Instant)
    case closed
  }

  enum Access: Sendable {
    case full
    case reading
    case readingImmutable
  }

  init(
    layout: DiskLayout,
    configuration: DiskStore.Configuration,
    tuning: DiskStore.Tuning,
    listener: (@Sendable (DiskStore.Diagnostic) -> Void)?
  ) {
    self.layout = layout
    self.configuration = configuration
    self.tuning = tuning
    self.listener = listener
    ownLimits = Mutex(DiskLimits.initial.with(configuration))
  }

  /// The limits in effect: the configuration's, and otherwise the directory's, once that is open.
  var limits: DiskLimits {
    get { ownLimits.withLock { $0 } }
    set { ownLimits.withLock { $0 = newValue } }
  }

  func report(_ diagnostic: DiskStore.Diagnostic) {
    listener?(diagnostic)
  }

  /// Reports the failure, once until a caller's change could be written again.
  func couldNotWrite(_ reason: String) {
    let isKnown = isFailing.exchange(true, ordering: .relaxed)
    if !isKnown { report(.unwritable(reason: reason)) }
  }

  /// Records that a caller's change was written; a successful chore does not prove that there is
  /// room.
  func couldWrite() {
    isFailing.store(false, ordering: .relaxed)
  }

  /// Records that the writer could read, even if only for a chore.
  func couldCommit() {
    readFailures.withLock { $0.writer = DiskReadFailures() }
  }

  /// Reports the failure, once until something could be read again.
  func couldNotRead(_ reason: String) {
    let isKnown = isUnreadable.exchange(true, ordering: .relaxed)
    if !isKnown { report(.unreadable(reason: reason)) }
  }

  func couldRead() {
    guard isUnreadable.load(ordering: .relaxed) else { return }
    isUnreadable.store(false, ordering: .relaxed)
    readFailures.withLock { $0.readers = DiskReadFailures() }
  }

  /// Returns the error, as damage from the third consecutive time that the device could not read
  /// the database.
  ///
  /// Failures of readers and of the writer are counted separately, because they read different
  /// parts.
  func judged(_ error: SQLiteError, isWriting: Bool) -> SQLiteError {
    guard error.isUnreadable, !error.isCorruption else { return error }
    let now = tuning.now()
    let count = readFailures.withLock { failures in
      isWriting ? failures.writer.add(at: now) : failures.readers.add(at: now)
    }
    return count < DiskReadFailures.limit ? error : error.asDamage
  }

  var current: Phase { phase.withLock { $0 } }

  func opened(generation: Int, access: Access = .full) {
    readFailures.withLock { $0 = (DiskReadFailures(), DiskReadFailures()) }
    phase.withLock { $0 = .open(generation: generation, access: access) }
  }

  /// Records the failure, and reports it unless the reason is the same as before.
  func failed(_ reason: String) {
    let isNews = phase.withLock { phase in
      defer { phase = .failed(reason: reason, at: .now) }
      if case .failed(reason, _) = phase { return false }
      return true
    }
    if isNews { report(.unusable(reason: reason)) }
  }

  func closed() {
    phase.withLock { $0 = .closed }
  }
}
