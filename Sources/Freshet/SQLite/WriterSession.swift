/// The connection and state of a ``WriterThread``, used by one thread at a time.
package protocol WriterSession<Transaction, Failure>: AnyObject, SendableMetatype {
  associatedtype Transaction
  associatedtype Failure: Error

  /// Opens the database, unless it is open and still the file at its path.
  func open() throws(FreshetError)

  /// Runs the jobs, and calls one of the callbacks of each exactly once.
  func run(_ jobs: [WriterJob<Transaction, Failure>])

  /// Makes one brief change on the thread of a caller, if nothing has to be waited for: no lock of
  /// another process, no device, and no file to be opened.
  ///
  /// - Returns: The value of the change after its commit; `nil` if nothing has changed, and
  ///   ``run(_:)`` has to make it.
  func runNow<Value>(_ work: (Transaction) throws(Failure) -> Value) -> Value?

  /// Does the background work that must not wait for idle time, one bounded step of each kind.
  func doUrgentChores()

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

extension WriterSession {
  package func runNow<Value>(_ work: (Transaction) throws(Failure) -> Value) -> Value? { nil }

  package func doUrgentChores() {}
}
