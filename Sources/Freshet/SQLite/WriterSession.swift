/// The connection and state of a ``WriterThread``, which never leave its thread.
package protocol WriterSession<Transaction, Failure>: AnyObject, SendableMetatype {
  associatedtype Transaction
  associatedtype Failure: Error

  /// Opens the database, unless it is open and still the file at its path.
  func open() throws(FreshetError)

  /// Runs the jobs, and calls one of the callbacks of each exactly once.
  func run(_ jobs: [WriterJob<Transaction, Failure>])

  /// A Boolean value that indicates whether there is background work for idle time.
  var hasChores: Bool { get }

  /// Does one bounded step of the background work.
  func doChore()

  /// The latest time at which to call ``doDue()``; `nil` if nothing is scheduled.
  var due: ContinuousClock.Instant? { get }

  /// Does the scheduled work.
  func doDue()

  /// Does the remaining work, and closes everything.
  func end()
}
