/// One request and its response on the wire, to be implemented by a transport.
///
/// ``Transfer`` calls `nextNow()` and `next()` from one task at a time. An exchange neither follows redirects nor
/// retries.
public protocol Exchange: AnyObject, Sendable {
  /// Returns the next event if it is there already; `nil` if `next()` has to be asked.
  ///
  /// What has arrived together, such as the head, the body and the end of a small response, is read with one wait.
  /// An exchange that need not be fast can leave the function out.
  ///
  /// - Returns: The event; `nil` by default.
  /// - Throws: The failure that ended the exchange; ``FreshetError/cancelled`` in a cancelled task, whatever is there.
  func nextNow() throws(FreshetError) -> TransferEvent?

  /// Waits for the next event; `nil` after `finished`.
  ///
  /// - Throws: The failure that ended the exchange; ``FreshetError/cancelled`` within milliseconds of
  ///   the task's cancellation.
  nonisolated(nonsending) func next() async throws(FreshetError) -> TransferEvent?

  /// Ends the exchange, and releases or closes its connection; has no effect after its end.
  func cancel()
}

extension Exchange {
  /// Returns `nil`, so that each event is waited for.
  public func nextNow() throws(FreshetError) -> TransferEvent? { nil }
}
