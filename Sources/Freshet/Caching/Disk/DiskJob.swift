/// One change to the database that somebody waits for.
struct DiskJob: Sendable {
  /// Does it, perhaps again after a rollback, and returns what says so after the commit.
  let work: @Sendable (DiskTransaction) throws(SQLiteError) -> @Sendable () -> Void
  /// Says why it could not be done.
  let fail: @Sendable (FreshetError) -> Void
  /// Says that the database is open, if nothing else is wanted: no transaction, no lock.
  var opened: (@Sendable () -> Void)?
}
