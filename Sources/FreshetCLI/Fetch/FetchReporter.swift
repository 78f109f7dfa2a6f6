import Freshet

/// Where a fetch's events go; each event fails if there is no place for it.
protocol FetchReporter: Sendable {
  /// So much of what is planned is known.
  func counted(_ totals: BatchPlan.Totals)
  func plan(_ totals: BatchPlan.Totals) throws(FreshetError)
  /// Something is no URL, and has no place among them.
  func rejected(_ text: String, _ error: FreshetError) throws(FreshetError)
  func started(_ url: String, _ index: Int)
  func progress(_ progress: TransferProgress, _ url: String, _ index: Int) throws(FreshetError)
  func value(_ resource: Resource, _ url: String, _ index: Int) throws(FreshetError)
  func error(_ error: FreshetError, _ url: String, _ index: Int) throws(FreshetError)
  func batch(_ progress: BatchProgress, isLast: Bool) throws(FreshetError)
  /// A body is going to be written to standard output.
  func makeRoom()
  /// A body has been written to standard output, its last byte the end of a line or not; `nil` if
  /// there was none.
  func wrote(endingLine: Bool?)
  /// Shows from time to time what goes on, until the task is cancelled: nothing may happen for long.
  func watch() async
  /// Nothing more happens.
  func finish()
}
