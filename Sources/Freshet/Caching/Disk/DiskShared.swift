import Foundation
import Synchronization

/// What the store, its writer and its readers know together.
final class DiskShared: Sendable {
  let layout: DiskLayout
  let configuration: DiskStore.Configuration
  let tuning: DiskStore.Tuning
  let touches = DiskTouches()
  let verified = DiskVerified()
  /// What could not be removed so far: it does not answer all the same.
  let invalidations = Mutex(Invalidations())
  /// What could not be marked as expired: when it was received, by key.
  let expired = Mutex<[CacheKey: Date]>([:])
  private let listener: (@Sendable (DiskStore.Diagnostic) -> Void)?
  private let phase = Mutex(Phase.unopened)
  private let isFailing = Mutex(false)
  private let isUnreadable = Atomic(false)
  /// By readers, since one of them has read, and by the writer, since it has committed.
  private let readFailures = Mutex((readers: DiskReadFailures(), writer: DiskReadFailures()))
  private let ownLimits: Mutex<DiskLimits>

  /// Whether the database can be used.
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

  /// The limits that count: the configuration's, and otherwise the directory's, once that is open.
  var limits: DiskLimits {
    get { ownLimits.withLock { $0 } }
    set { ownLimits.withLock { $0 = newValue } }
  }

  func report(_ diagnostic: DiskStore.Diagnostic) {
    listener?(diagnostic)
  }

  /// Says so once until somebody's change could be written again.
  func couldNotWrite(_ reason: String) {
    let isNews = isFailing.withLock { isFailing in
      defer { isFailing = true }
      return !isFailing
    }
    if isNews { report(.unwritable(reason: reason)) }
  }

  /// Somebody's change was written; that a chore could be done is no sign of room for more.
  func couldWrite() {
    isFailing.withLock { $0 = false }
  }

  /// The writer has read what it needs, be it for a chore.
  func couldCommit() {
    readFailures.withLock { $0.writer = DiskReadFailures() }
  }

  /// Says so once until something could be read again.
  func couldNotRead(_ reason: String) {
    let isKnown = isUnreadable.exchange(true, ordering: .relaxed)
    if !isKnown { report(.unreadable(reason: reason)) }
  }

  func couldRead() {
    guard isUnreadable.load(ordering: .relaxed) else { return }
    isUnreadable.store(false, ordering: .relaxed)
    readFailures.withLock { $0.readers = DiskReadFailures() }
  }

  /// A failure, which may be damage from the third time in a row on that the device does not read the
  /// database: what readers and the writer need of it are different parts.
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

  /// Says so once for a reason that stays the same.
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
