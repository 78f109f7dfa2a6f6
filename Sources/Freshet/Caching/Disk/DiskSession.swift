import FreshetEssentials
import Synchronization

/// The state of the writer: it holds the connection, runs jobs in groups, and chores in between.
///
/// It is used by one thread at a time.
final class DiskSession: WriterSession {
  typealias Job = WriterJob<DiskTransaction, SQLiteError>

  let shared: DiskShared
  let readers: DiskReaders
  var opened: Opened?
  var generation = 0
  var isEvicting = false
  var sweep: DiskSweep?
  /// The instant at which the last sweep began.
  var lastSweep: ContinuousClock.Instant?
  var mayShrink = false
  /// A Boolean value that indicates whether this store's own limits are to be written to the
  /// directory.
  var mustSetLimits = false
  var replaced = DiskReplaced()
  /// A Boolean value that indicates whether the next commit may begin a new log, and then waits for
  /// the device.
  var mayBeginLog = false

  struct Opened {
    let connection: SQLiteConnection
    let transaction: DiskTransaction
  }

  init(shared: DiskShared, readers: DiskReaders) {
    self.shared = shared
    self.readers = readers
  }

  /// Opens the database; one that can only be read counts as open.
  func open() throws(FreshetError) {
    do throws(FreshetError) {
      try prepare()
    } catch {
      guard case .open = shared.current else { throw error }
    }
  }

  func run(_ jobs: [Job]) {
    prepareAndRun(jobs, mayRecover: true)
  }

  /// Runs jobs in the database that is at its path now; they fail if it cannot be opened.
  private func prepareAndRun(_ jobs: [Job], mayRecover: Bool) {
    do throws(FreshetError) {
      try prepare()
    } catch {
      for job in jobs { job.fail(error) }
      return
    }
    run(jobs, mayRecover: mayRecover)
  }

  /// Makes a change in a transaction of its own, and leaves a failure of any kind to ``run(_:)``.
  func runNow<Value>(_ work: (DiskTransaction) throws(SQLiteError) -> Value) -> Value? {
    guard let connection = opened?.connection, shared.configuration.durability == .process,
      !mustSetLimits, !mayBeginLog, !connection.hasMoved
    else { return nil }
    connection.setPatience(0)
    defer { connection.setPatience(SQLiteConnection.writerPatience) }
    guard let value = try? commit(work), !connection.hasMoved else { return nil }
    shared.couldWrite()
    return value
  }

  /// Runs jobs in one transaction, and once more if they meet damage: a page that could not be read for a
  /// moment, in the middle of a change, is damage for SQLite.
  private func run(_ jobs: [Job], mayRecover: Bool, isRepeated: Bool = false) {
    do throws(SQLiteError) {
      let acknowledgements = try commit { transaction throws(SQLiteError) in
        // Chores and uses are no changes: a store that only reads does not change the directory's
        // limits.
        try writeLimits(transaction)
        var acknowledgements: [@Sendable () -> Void] = []
        for job in jobs { acknowledgements.append(try job.work(transaction)) }
        return acknowledgements
      }
      shared.couldWrite()
      mustSetLimits = false
      // The jobs were written to a database that another process has just replaced: run them again.
      if mayRecover, opened?.connection.hasMoved == true {
        return prepareAndRun(jobs, mayRecover: false)
      }
      for acknowledge in acknowledgements { acknowledge() }
    } catch {
      let error = shared.judged(error, isWriting: true)
      if error.isCorruption, mayRecover, !isRepeated {
        run(jobs, mayRecover: true, isRepeated: true)
      } else if error.isCorruption, mayRecover, recover(from: error) {
        run(jobs, mayRecover: false)
      } else if jobs.count > 1, !error.isBusy, opened != nil {
        // A failed job must not fail the others: each gets a transaction of its own.
        for job in jobs { run([job], mayRecover: false) }
      } else {
        if error.isFull {
          emptyLog()
          if !isRepeated, removesBodiesNow() {
            return run(jobs, mayRecover: mayRecover, isRepeated: true)
          }
        }
        shared.couldNotWrite(error.reason)
        for job in jobs { job.fail(.store(error.reason)) }
      }
    }
  }

  /// Empties the log without waiting for readers: each job of a group that has met a full device does it.
  private func emptyLog() {
    // The snapshot of a count, which begins again, would keep the log from being emptied.
    sweep?.audit = nil
    mayBeginLog = true
    guard let connection = opened?.connection else { return }
    connection.setPatience(0)
    try? connection.run("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.setPatience(SQLiteConnection.writerPatience)
  }

  /// Removes the bodies of the removal that has just failed, whose space it may need itself.
  ///
  /// - Returns: `false` if the failed transaction was no removal: its records still need their bodies.
  private func removesBodiesNow() -> Bool {
    guard let transaction = opened?.transaction, transaction.hasRemoved else { return false }
    removeFiles(after: transaction)
    return true
  }

  /// Runs changes in a transaction, and removes files that are no longer needed after the commit.
  func commit<Value>(
    _ work: (DiskTransaction) throws(SQLiteError) -> Value
  ) throws(SQLiteError) -> Value {
    guard let transaction = opened?.transaction else {
      throw SQLiteError(code: 0, message: "not open")
    }
    let value: Value
    let touches = shared.touches.takeGroup(of: shared.tuning.touchGroup)
    do throws(SQLiteError) {
      try transaction.begin()
      for (id, stamp) in touches { try transaction.touch(id, stamp) }
      value = try work(transaction)
      let hasGrown = transaction.hasGrown
      let (bytes, limits) = try transaction.commit()
      shared.limits = limits.with(shared.configuration)
      // A read never removes what another process stores there.
      if hasGrown, bytes > shared.limits.bytes { isEvicting = true }
    } catch {
      transaction.rollBack()
      // Another database has other records.
      if !error.isCorruption { shared.touches.putBack(touches) }
      throw error
    }
    shared.couldCommit()
    mayBeginLog = false
    for id in transaction.usedRecords { shared.touches.add(id, at: shared.tuning.now()) }
    removeFiles(after: transaction)
    if transaction.hasDeleted { mayShrink = true }
    return value
  }

  func end() {
    writeTouches()
    writeInvalidations()
    removeReplaced()
    shared.closed()
    readers.close()
    opened = nil
  }

  private func writeLimits(_ transaction: DiskTransaction) throws(SQLiteError) {
    guard mustSetLimits else { return }
    let stored = try transaction.storedLimits()
    let wanted = stored.with(shared.configuration)
    if wanted != stored { try transaction.setLimits(wanted) }
  }
}

// MARK: - Chores

extension DiskSession {
  var hasChores: Bool {
    opened != nil && (isEvicting || sweep != nil || mayShrink || replaced.isMany || isLogLong)
  }

  /// Evicts, and copies the log to the database: a store that is always busy must not grow.
  func doUrgentChores() {
    guard opened != nil else { return }
    if isEvicting { evict() }
    if isLogLong { checkpoint() }
  }

  func doChore() {
    if isEvicting || isLogLong {
      doUrgentChores()
    } else if replaced.isMany {
      removeReplaced()
    } else if sweep != nil {
      continueSweep()
    } else {
      shrink()
    }
  }

  var due: ContinuousClock.Instant? {
    let delay = shared.tuning.touchDelay
    let writes = [shared.touches.since, replaced.since].compactMap { $0.map { $0 + delay } }
    return (writes + [nextSweep].compactMap(\.self)).min()
  }

  /// The instant at which the limits of age are applied again in a store that stays open.
  private var nextSweep: ContinuousClock.Instant? {
    let interval = shared.tuning.sweepInterval
    guard opened != nil, sweep == nil, let lastSweep, interval > 0, interval.isFinite else {
      return nil
    }
    return lastSweep.advanced(by: .seconds(interval))
  }

  func beginSweep() {
    sweep = DiskSweep()
    lastSweep = .now
  }

  func doDue() {
    writeTouches()
    removeReplaced()
    if let nextSweep, nextSweep <= .now { beginSweep() }
  }

  /// Writes the uses that readers have recorded; if they cannot be written, they are dropped.
  func writeTouches() {
    let touches = shared.touches.take()
    guard opened != nil, !touches.isEmpty else { return }
    attempt { transaction throws(SQLiteError) in
      for (id, stamp) in touches { try transaction.touch(id, stamp) }
    }
  }

  /// Writes the invalidations that could not be written before.
  private func writeInvalidations() {
    let waiting = shared.invalidations.withLock(\.all)
    guard !waiting.isEmpty, opened != nil || (try? prepare()) != nil else { return }
    attempt { transaction throws(SQLiteError) in
      for (key, mark) in waiting { try transaction.invalidate(key, mark) }
    }
  }

  /// A Boolean value that indicates whether the log has 8 MiB or more.
  private var isLogLong: Bool { opened.map { $0.connection.logPages >= 2_000 } ?? false }

  private func checkpoint() {
    opened?.connection.checkpoint()
    mayBeginLog = true
  }

  /// Returns free pages to the file system when a quarter of the file is free.
  private func shrink() {
    mayShrink = false
    guard let connection = opened?.connection else { return }
    do throws(SQLiteError) {
      let free = try connection.integer("PRAGMA freelist_count")
      guard free > 1_024, free * 4 > (try connection.integer("PRAGMA page_count")) else { return }
      try connection.run("PRAGMA incremental_vacuum(512)")
      mayShrink = true
    } catch {
      shared.couldNotWrite(error.reason)
    }
  }

  /// Runs changes whose result is not awaited.
  func attempt(
    isRepeated: Bool = false,
    _ work: (DiskTransaction) throws(SQLiteError) -> Void
  ) {
    do throws(SQLiteError) {
      try commit(work)
    } catch {
      let error = shared.judged(error, isWriting: true)
      if error.isCorruption, !isRepeated { return attempt(isRepeated: true, work) }
      if error.isCorruption, recover(from: error) { return }
      isEvicting = false
      shared.couldNotWrite(error.reason)
    }
  }
}
