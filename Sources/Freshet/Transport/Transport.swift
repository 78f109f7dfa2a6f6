/// The only thing that touches the network.
///
/// Sending is cold: nothing happens until the transfer is iterated, iterating it twice sends twice.
/// A transport of one's own makes its transfers from an ``Exchange``; redirects, validation and the
/// whole call's deadline are the transfer's business.
///
/// ```swift
/// for try await event in transport.send(try Request("https://example.org/")) {
///   if case .head(let head) = event { print(head.status) }
/// }
/// ```
public protocol Transport: Sendable {
  /// Describes the transfer of a request.
  func send(_ request: Request) -> Transfer
}
