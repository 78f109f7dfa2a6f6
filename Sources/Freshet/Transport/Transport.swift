/// The only thing that touches the network.
///
/// Sending is cold: nothing happens until the transfer is iterated, iterating it twice sends twice.
/// A transport of one's own makes its transfers from an ``Exchange``; redirects and validation are
/// the transfer's business. The timeouts are the exchange's; after a redirect, the transfer gives the
/// next one what is left of ``Request/Timeouts/total``.
///
/// ```swift
/// for try await event in transport.send(try Request(.get, "https://example.org/")) {
///   if case .head(let head) = event { print(head.status) }
/// }
/// ```
public protocol Transport: Sendable {
  /// Describes the transfer of a request.
  func send(_ request: Request) -> Transfer

  /// The header fields that the transport would add to a request if it were sent now.
  ///
  /// Caches ask for them, because a stored response may be meant for them: those that prove who asks
  /// (`Authorization`, `Cookie`), and others that a `Vary` may name. What proves who asks may be replaced
  /// by a name that stays the same as long as it is the same one who asks. It returns at once; a
  /// transport that adds nothing need not implement it, and one that decorates another asks that one.
  ///
  /// - Parameter request: What would be sent.
  /// - Returns: The fields; none by default.
  func addedFields(for request: Request) -> HTTPHeaders
}

extension Transport {
  /// No fields.
  public func addedFields(for request: Request) -> HTTPHeaders { HTTPHeaders() }
}
