import Foundation
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
    var outcome = perform(jobs)
    if outcome.isDamaged, core.configuration.damage == .setAside, recover() {
      outcome = perform(jobs)
    }
    dataVersion = outcome.dataVersion
    if !outcome.changes.isEmpty {
      note?.write()
      core.observers.publish(outcome.changes)
    }
    for reply in outcome.replies { reply() }
  }

  let hasChores = false

  func doChore() {}

  let due: ContinuousClock.Instant? = nil

  /// Tells observers what other processes have committed.
  func doDue() {
    guard isOpen else { return }
    guard let version = withConnection({ ModelGroup.dataVersion($0) }) ?? nil,
      version != dataVersion
    else { return }
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
