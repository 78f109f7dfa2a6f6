/// A change to a database that somebody waits for.
struct WriterJob<Transaction, Failure: Error>: Sendable {
  /// Makes it, perhaps again after a rollback, and returns what says so after the commit.
  let work: @Sendable (Transaction) throws(Failure) -> @Sendable () -> Void
  /// Says why it could not be made.
  let fail: @Sendable (FreshetError) -> Void
}
