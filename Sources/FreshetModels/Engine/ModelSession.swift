import Foundation
import Freshet
import Synchronization

/// The writer's thread at work: it makes changes in groups and tells observers after the commit.
///
/// It never leaves that thread; its connection is in ``ModelCore/main``.
final class ModelSession: WriterSession {
  typealias Job = WriterJob<ModelTransaction, FreshetError>

  let core: ModelCore
  /// Has this thread look for commits of other processes, from any thread.
  let wake: @Sendable () -> Void
  var generation = 0
  var isOpen = false
  /// What SQLite called the state of the database after the last look.
  var dataVersion: Int64 = 0
  var note: ChangeNote?
  var owner: TemporaryOwner?

  init(core: ModelCore, wake: @escaping @Sendable () -> Void) {
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

  /// Makes the changes; nobody has heard of them yet.
  func commit(_ jobs: [Job]) -> ModelGroup.Outcome {
    var outcome = perform(jobs)
    if outcome.isDamaged, core.configuration.damage == .setAside, recover() {
      outcome = perform(jobs)
    }
    dataVersion = outcome.dataVersion
    return outcome
  }

  /// Tells everybody of the changes.
  func announce(_ outcome: ModelGroup.Outcome) {
    if !outcome.changes.isEmpty {
      note?.write()
      core.observers.publish(outcome.changes)
      // Another process may have committed since. If its note came before this one, the watch finds
      // this store's token there; a later one it hears of by itself.
      publishForeignChanges()
    }
    for reply in outcome.replies { reply() }
  }

  let hasChores = false

  func doChore() {}

  let due: ContinuousClock.Instant? = nil

  /// Tells observers what other processes have committed.
  func doDue() {
    guard isOpen else { return }
    let hasMoved = core.main.connection.withLock { $0?.sqlite.hasMoved ?? false }
    // Somebody has put another database in its place; one that is only gone is nothing to read.
    if hasMoved, access(core.place.path, F_OK) == 0, (try? open()) == nil { return }
    publishForeignChanges()
  }

  private func publishForeignChanges() {
    let (known, version) = (dataVersion, withConnection { ModelGroup.dataVersion($0) } ?? nil)
    guard let version, version != known else { return }
    // The others may have changed the tables too.
    withConnection { $0.forgetTables() }
    dataVersion = version
    core.observers.publish(ModelChanges(isUnknown: true))
  }

  func end() {
    core.closed()
    core.stopWatching()
    close()
    owner?.remove()
    owner = nil
    core.observers.close()
  }

  private func perform(_ jobs: [Job]) -> ModelGroup.Outcome {
    let group = ModelGroup(jobs: jobs, dataVersion: dataVersion)
    return withConnection { group.perform(on: $0) } ?? group.refused(.store("the store is closed"))
  }

  private func withConnection<Value: Sendable>(
    _ body: @Sendable (ModelConnection) -> Value
  ) -> Value? {
    core.main.connection.withLock { connection in connection.map { body($0) } }
  }

  func close() {
    core.closeReaders()
    core.main.connection.withLock { $0 = nil }
    note = nil
    isOpen = false
  }
}
