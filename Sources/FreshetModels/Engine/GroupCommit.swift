import Freshet

/// Jobs that share a transaction.
struct GroupCommit: Sendable {
  let jobs: [ModelSession.Job]
  /// SQLite's data version after the last check.
  let dataVersion: Int64
  /// A Boolean value that indicates whether all jobs run again if there is no space for one.
  var repeatsIfFull = false

  /// The results of the jobs, before anything is reported.
  struct Outcome: Sendable {
    var replies: [@Sendable () -> Void] = []
    var changes = ModelChanges()
    var isDamaged = false
    var isFull = false
    var dataVersion: Int64
  }

  func refused(_ error: FreshetError) -> Outcome {
    Outcome(replies: jobs.map { job in { job.fail(error) } }, dataVersion: dataVersion)
  }

  func perform(on connection: ModelConnection) -> Outcome {
    var version = dataVersion
    var outcome: Outcome
    connection.isFull = false
    do throws(FreshetError) {
      version = try connection.reporting { () throws(SQLiteError) in
        try connection.sqlite.run("BEGIN IMMEDIATE")
        return try connection.integer("PRAGMA data_version")
      }
      if version != dataVersion { connection.forgetTables() }
      outcome = try run(on: connection)
    } catch {
      outcome = refused(error)
      outcome.isFull = connection.isFull
      connection.forgetTables()
      if connection.sqlite.isInTransaction { try? connection.sqlite.run("ROLLBACK") }
    }
    outcome.isDamaged = connection.isDamaged
    outcome.dataVersion = version
    if version != dataVersion { outcome.changes.isUnknown = true }
    return outcome
  }

  /// Runs the jobs and commits what they have changed, or nothing at all.
  private func run(on connection: ModelConnection) throws(FreshetError) -> Outcome {
    var outcome = Outcome(dataVersion: dataVersion)
    for job in jobs {
      let transaction = ModelTransaction(connection)
      do throws(FreshetError) {
        outcome.replies.append(try run(job, in: transaction))
        outcome.changes.add(transaction.changes)
      } catch {
        let runsAgain = connection.isDamaged || repeatsIfFull && connection.isFull
        if jobs.count == 1 || runsAgain || !connection.sqlite.isInTransaction { throw error }
        outcome.replies.append { job.fail(error) }
      }
      // All of them run again, see `ModelSession.commit(_:)`.
      if connection.isDamaged { throw .store("the database is damaged") }
      // SQLite rolls back everything by itself after some failures.
      if !connection.sqlite.isInTransaction { throw .store("everything was rolled back") }
    }
    try connection.report(try connection.run("COMMIT"))
    return outcome
  }

  /// Runs a job, in a savepoint if there are others, so that one that fails does not affect these.
  ///
  /// A savepoint keeps a copy of every page that is changed in it in memory.
  private func run(
    _ job: ModelSession.Job,
    in transaction: ModelTransaction
  ) throws(FreshetError) -> @Sendable () -> Void {
    func work() throws(FreshetError) -> @Sendable () -> Void {
      let reply = try job.work(transaction)
      if let failure = transaction.failure { throw failure }
      try transaction.lower()
      return reply
    }
    if jobs.count == 1 { return try work() }
    return try transaction.connection.inSavepoint("job", work)
  }
}
