/// A change to a database, with the callbacks that report its result.
package struct WriterJob<Transaction, Failure: Error>: Sendable {
  /// Makes the change, and returns a closure to call after the commit.
  ///
  /// It is called again if the transaction was rolled back.
  package let work: @Sendable (Transaction) throws(Failure) -> @Sendable () -> Void
  /// Reports the error if the change could not be made.
  package let fail: @Sendable (FreshetError) -> Void
}
