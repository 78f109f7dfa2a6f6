/// One request and its response on the wire, to be implemented by a transport.
///
/// ``Transfer`` calls `next()` from one task at a time. An exchange neither follows redirects nor retries.
public protocol Exchange: AnyObject, Sendable {
  /// Waits for the next event; `nil` after `finished`.
  ///
  /// - Throws: The failure that ended the exchange; ``FreshetError/cancelled`` within milliseconds of
  ///   the task's cancellation.
  nonisolated(nonsending) func next() async throws(FreshetError) -> TransferEvent?

  /// Ends the exchange, and releases or closes its connection; has no effect after its end.
  func cancel()
}
