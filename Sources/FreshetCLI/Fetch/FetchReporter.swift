import Foundation
import Freshet

/// Reports the events of a fetch; each method throws if it cannot be reported.
protocol FetchReporter: Sendable {
  /// Reports the progress of planning.
  func counted(_ totals: BatchPlan.Totals)
  func plan(_ totals: BatchPlan.Totals) throws(FreshetError)
  /// Reports a text that is not a URL, and that has no position among them.
  func rejected(_ text: String, _ error: FreshetError) throws(FreshetError)
  func started(_ url: String, _ index: Int)
  func progress(_ progress: TransferProgress, _ url: String, _ index: Int) throws(FreshetError)
  /// A value has come, and has been written to a file if that was asked for.
  func value(
    _ resource: Resource,
    _ file: URL?,
    _ url: String,
    _ index: Int
  ) throws(FreshetError)
  func error(_ error: FreshetError, _ url: String, _ index: Int) throws(FreshetError)
  /// Reports a 304 that answers the caller's own condition, which is no failure.
  func unmodified(_ error: FreshetError, _ url: String, _ index: Int) throws(FreshetError)
  func batch(_ progress: BatchProgress, isLast: Bool) throws(FreshetError)
  /// So fast goes the one that is fetched.
  func advanced(_ progress: BatchProgress)
  /// Something is told that is no result, such as an attempt that follows.
  func note(_ text: String)
  /// A line on what goes over the network.
  func trace(_ line: String)
  /// Prepares for a body on standard output.
  func makeRoom()
  /// Records that a body was written to standard output, and whether it ends with a line feed;
  /// `nil` if there was no body.
  func wrote(endingLine: Bool?)
  /// Updates the display from time to time, until the task is cancelled, because there may be no
  /// events for long.
  func watch() async
  func finish()
}
