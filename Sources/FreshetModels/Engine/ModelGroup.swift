import Freshet

/// Jobs that share a transaction.
struct ModelGroup: Sendable {
  let jobs: [ModelSession.Job]
  /// What SQLite called the state of the database after the last look.
  let dataVersion: Int64

  /// What came of them; nobody has heard of it yet.
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

  /// Each job in a savepoint: one that fails takes no other with it.
  private func run(on connection: ModelConnection) throws(SQLiteError) -> Outcome {
    var outcome = Outcome(dataVersion: dataVersion)
    for job in jobs {
      let transaction = ModelTransaction(connection)
      do throws(FreshetError) {
        let reply = try Self.inSavepoint(connection) { () throws(FreshetError) in
          let reply = try job.work(transaction)
          if let failure = transaction.failure { throw failure }
          return reply
        }
        outcome.replies.append(reply)
        outcome.changes.add(transaction.changes)
      } catch {
        // After some failures SQLite has rolled back everything by itself.
        if !connection.sqlite.isInTransaction { return refused(error) }
        outcome.replies.append { job.fail(error) }
      }
    }
    try connection.run("COMMIT")
    return outcome
  }

  private static func inSavepoint<Value>(
    _ connection: ModelConnection,
    _ body: () throws(FreshetError) -> Value
  ) throws(FreshetError) -> Value {
    do throws(SQLiteError) {
      try connection.run("SAVEPOINT job")
    } catch {
      throw connection.failure(error)
    }
    do throws(FreshetError) {
      let value = try body()
      try? connection.run("RELEASE job")
      return value
    } catch {
      connection.forgetTables()
      try? connection.run("ROLLBACK TO job")
      try? connection.run("RELEASE job")
      throw error
    }
  }

  static func dataVersion(_ connection: ModelConnection) -> Int64? {
    try? connection.integer("PRAGMA data_version")
  }
}
