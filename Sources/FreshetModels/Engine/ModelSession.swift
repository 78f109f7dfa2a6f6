import Freshet
import FreshetEssentials
import Synchronization

/// The state of the writer's thread: it makes changes in groups and notifies observers after the commit.
///
/// It never leaves that thread; its connection is in ``ModelDatabase/main``.
final class ModelSession: WriterSession {
  typealias Job = WriterJob<ModelTransaction, FreshetError>

  let core: ModelDatabase
  /// A closure that makes this thread check for commits of other processes; callable from any thread.
  let wake: @Sendable () -> Void
  var generation = 0
  var isOpen = false
  /// SQLite's data version after the last check.
  var dataVersion: Int64 = 0
  var note: ChangeNote?
  var owner: TemporaryOwner?

  init(core: ModelDatabase, wake: @escaping @Sendable () -> Void) {
    self.core = core
    self.wake = wake
  }

  func run(_ jobs: [Job]) {
    do throws(FreshetError) {
      try open()
    } catch {
      for job in jobs { job.fail(error) }
      return
    }
    announce(commit(jobs))
  }

  /// Makes the changes, without reporting them.
  func commit(_ jobs: [Job]) -> GroupCommit.Outcome {
    var outcome = perform(jobs, repeatsIfFull: true)
    // A log that has grown may hold the space for the change itself.
    if outcome.isFull, withConnection({ $0.emptyLog() }) == true || jobs.count > 1 {
      outcome = perform(jobs)
    }
    if outcome.isDamaged {
      // A page that could not be read for a moment is damage for SQLite: only what is met twice counts.
      withConnection { $0.isDamaged = false }
      outcome = perform(jobs)
    }
    if outcome.isDamaged, core.configuration.damage == .setAside, recover() {
      outcome = perform(jobs)
    }
    dataVersion = outcome.dataVersion
    // The changes are in a database that another process has just moved away.
    guard withConnection({ $0.sqlite.hasMoved }) == true else { return outcome }
    do throws(FreshetError) {
      try open()
    } catch {
      return GroupCommit(jobs: jobs, dataVersion: dataVersion).refused(error)
    }
    outcome = perform(jobs)
    dataVersion = outcome.dataVersion
    return outcome
  }

  /// Reports the changes to observers and callers.
  func announce(_ outcome: GroupCommit.Outcome) {
    if !outcome.changes.isEmpty {
      note?.write()
      core.observers.notify(outcome.changes)
      // Another process may have committed since. If its note came before this one, the watcher
      // finds this store's token there; a later one is noticed by itself.
      publishForeignChanges()
    }
    for reply in outcome.replies { reply() }
  }

  let hasChores = false

  func doChore() {}

  let due: ContinuousClock.Instant? = nil

  /// Notifies observers of the commits of other processes.
  func doDue() {
    guard isOpen || generation > 0 else { return }
    let hasMoved = core.main.withLock { $0?.sqlite.hasMoved ?? true }
    // Another process has replaced the database, which perhaps could not be opened then; a removed one cannot be read.
    if hasMoved, access(core.place.path, F_OK) == 0, (try? open()) == nil { return }
    publishForeignChanges()
  }

  private func publishForeignChanges() {
    let found: Int64? = withConnection { try? $0.integer("PRAGMA data_version") } ?? nil
    guard let version = found, version != dataVersion else { return }
    // The other processes may have changed the tables too.
    withConnection { $0.forgetTables() }
    dataVersion = version
    core.observers.notify(ModelChanges(isUnknown: true))
  }

  func end() {
    core.closed()
    core.stopWatching()
    close()
    owner?.remove()
    owner = nil
    core.observers.notify(nil)
  }

  private func perform(_ jobs: [Job], repeatsIfFull: Bool = false) -> GroupCommit.Outcome {
    let group = GroupCommit(jobs: jobs, dataVersion: dataVersion, repeatsIfFull: repeatsIfFull)
    let mayWrite = core.configuration.damage == .setAside
    return withConnection { connection in
      connection.isDamaged && !mayWrite
        ? group.refused(.store("the database is damaged")) : group.perform(on: connection)
    } ?? group.refused(.store("the store is closed"))
  }

  private func withConnection<Value: Sendable>(
    _ body: @Sendable (ModelConnection) -> Value
  ) -> Value? {
    core.main.withLock { connection in connection.map { body($0) } }
  }

  func close() {
    core.closeReaders()
    core.main.withLock { $0 = nil }
    note = nil
    isOpen = false
  }
}
