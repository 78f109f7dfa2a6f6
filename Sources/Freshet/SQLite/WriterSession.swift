/// What the thread of a ``WriterThread`` works with; it never leaves that thread.
package protocol WriterSession<Transaction, Failure>: AnyObject, SendableMetatype {
  associatedtype Transaction
  associatedtype Failure: Error

  /// Opens the database unless it is open and still where it belongs.
  func open() throws(FreshetError)

  /// Makes changes and says so to those who wait: each of them hears exactly once.
  func run(_ jobs: [WriterJob<Transaction, Failure>])

  /// Whether there is something to do while nobody waits.
  var hasChores: Bool { get }

  /// Does one bounded step of that.
  func doChore()

  /// When something is to be done that nobody waits for, at the latest.
  var due: ContinuousClock.Instant? { get }

  /// Does what is due.
  func doDue()

  /// Does what is left, and closes everything.
  func end()
}
