/// A change to a database that somebody waits for.
package struct WriterJob<Transaction, Failure: Error>: Sendable {
  /// Makes it, perhaps again after a rollback, and returns what says so after the commit.
  package let work: @Sendable (Transaction) throws(Failure) -> @Sendable () -> Void
  /// Says why it could not be made.
  package let fail: @Sendable (FreshetError) -> Void
}
