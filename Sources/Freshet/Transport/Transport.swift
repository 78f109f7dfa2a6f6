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
}
