import Freshet

/// Jobs that share a transaction.
struct GroupCommit: Sendable {
  let jobs: [ModelSession.Job]
  /// SQLite's data version after the last check.
  let dataVersion: Int64

  /// The results of the jobs, before anything is reported.
  struct Outcome: Sendable {
    var replies: [@Sendable () -> Void] = []
    var changes = ModelChanges()
    var isDamaged = false
    var dataVersion: Int64
  }

  func refused(_ error: FreshetError) -> Outcome {
    Outcome(replies: jobs.map { job in { job.fail(error) } }, dataVersion: dataVersion)
  }

  func perform(on connection: ModelConnection) -> Outcome {
    var version = dataVersion
    var outcome: Outcome
    do throws(SQLiteError) {
      try connection.sqlite.run("BEGIN IMMEDIATE")
      version = try connection.integer("PRAGMA data_version")
      if version != dataVersion { connection.forgetTables() }
      outcome = try run(on: connection)
    } catch {
      outcome = refused(connection.failure(error))
      connection.forgetTables()
      if connection.sqlite.isInTransaction { try? connection.sqlite.run("ROLLBACK") }
    }
    outcome.isDamaged = connection.isDamaged
    outcome.dataVersion = version
    if version != dataVersion { outcome.changes.isUnknown = true }
    return outcome
  }

  /// Runs each job in a savepoint, so that one that fails does not affect the others.
  private func run(on connection: ModelConnection) throws(SQLiteError) -> Outcome {
    var outcome = Outcome(dataVersion: dataVersion)
    for job in jobs {
      let transaction = ModelTransaction(connection)
      do throws(FreshetError) {
        let reply = try connection.inSavepoint("job") { () throws(FreshetError) in
          let reply = try job.work(transaction)
          try transaction.lower()
          if let failure = transaction.failure { throw failure }
          return reply
        }
        outcome.replies.append(reply)
        outcome.changes.add(transaction.changes)
      } catch {
        // SQLite rolls back everything by itself after some failures.
        if !connection.sqlite.isInTransaction { return refused(error) }
        outcome.replies.append { job.fail(error) }
      }
    }
    try connection.run("COMMIT")
    return outcome
  }
}
