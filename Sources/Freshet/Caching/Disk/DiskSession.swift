import Foundation

/// The writer's thread at work: it holds the connection, does jobs in groups, and chores in between.
///
/// It never leaves that thread.
final class DiskSession {
  let shared: DiskShared
  let readers: DiskReaders
  var opened: Opened?
  var generation = 0
  var isEvicting = false
  var sweep: DiskSweep?
  var mayShrink = false

  struct Opened {
    let connection: SQLiteConnection
    let transaction: DiskTransaction
  }

  init(shared: DiskShared, readers: DiskReaders) {
    self.shared = shared
    self.readers = readers
  }

  /// Does jobs and says so to those who wait: each of them hears exactly once.
  func run(_ jobs: [DiskJob]) {
    do throws(FreshetError) {
      try prepare()
    } catch {
      for job in jobs { job.fail(error) }
      return
    }
    run(jobs, mayRecover: true)
    if isEvicting { evict() }
  }

  private func run(_ jobs: [DiskJob], mayRecover: Bool) {
    do throws(SQLiteError) {
      let acknowledgements = try commit { transaction throws(SQLiteError) in
        var acknowledgements: [@Sendable () -> Void] = []
        for job in jobs { acknowledgements.append(try job.work(transaction)) }
        return acknowledgements
      }
      for acknowledge in acknowledgements { acknowledge() }
    } catch {
      if error.isCorruption, mayRecover, recover(from: error) {
        run(jobs, mayRecover: false)
      } else if jobs.count > 1, !error.isBusy, opened != nil {
        // One job's failure is not the others': each gets a transaction of its own.
        for job in jobs { run([job], mayRecover: false) }
      } else {
        if error.isFull { try? opened?.connection.run("PRAGMA wal_checkpoint(TRUNCATE)") }
        for job in jobs { job.fail(.store(error.reason)) }
        shared.couldNotWrite(error.reason)
      }
    }
  }

  /// Runs changes in a transaction; files that are no longer needed go after the commit.
  func commit<Value>(
    _ work: (DiskTransaction) throws(SQLiteError) -> Value
  ) throws(SQLiteError) -> Value {
    guard let transaction = opened?.transaction else {
      throw SQLiteError(code: 0, message: "not open")
    }
    let value: Value
    do throws(SQLiteError) {
      try transaction.begin()
      value = try work(transaction)
      let bytes = try transaction.commit()
      if bytes > shared.configuration.byteLimit { isEvicting = true }
    } catch {
      transaction.rollBack()
      throw error
    }
    shared.couldWrite()
    for name in transaction.obsoleteFiles { unlink(shared.layout.bodyPath(name)) }
    if transaction.hasDeleted { mayShrink = true }
    return value
  }

  /// Writes what is left, and closes everything.
  func end() {
    writeTouches()
    shared.closed()
    readers.close()
    opened = nil
  }
}

// MARK: - Chores

extension DiskSession {
  /// Whether there is something to do while nobody waits.
  var hasChores: Bool {
    opened != nil && (isEvicting || sweep != nil || mayShrink)
  }

  /// Does one bounded step.
  func doChore() {
    if isEvicting {
      evict()
    } else if sweep != nil {
      continueSweep()
    } else {
      shrink()
    }
  }

  /// Writes the uses that readers have noted.
  func writeTouches() {
    guard opened != nil, shared.touches.count > 0 else { return }
    let touches = shared.touches.take()
    attempt { transaction throws(SQLiteError) in
      for (id, stamp) in touches { try transaction.touch(id, stamp) }
    }
  }

  /// Gives free pages back to the file system when a quarter of the file is free.
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

  /// Runs changes that nobody waits for.
  func attempt(_ work: (DiskTransaction) throws(SQLiteError) -> Void) {
    do throws(SQLiteError) {
      try commit(work)
    } catch {
      if error.isCorruption, recover(from: error) { return }
      isEvicting = false
      shared.couldNotWrite(error.reason)
    }
  }
}
