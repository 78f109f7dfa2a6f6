/// One request and its response on the wire, as a transport implements it.
///
/// ``Transfer`` calls `next()` from one task at a time. An exchange does not follow redirects and
/// does not repeat itself.
public protocol Exchange: AnyObject, Sendable {
  /// Waits for what happens next; `nil` after `finished`.
  ///
  /// - Throws: The failure that ended the exchange; ``FreshetError/cancelled`` within milliseconds
  ///   of the task's cancellation.
  nonisolated(nonsending) func next() async throws(FreshetError) -> TransferEvent?

  /// Ends the exchange and gives its connection back, or closes it; harmless when it has ended.
  func cancel()
}
