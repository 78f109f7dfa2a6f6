/// The network interface: nothing else in Freshet touches the network.
///
/// Sending is cold: nothing happens until the transfer is iterated, and iterating it twice sends twice.
/// A custom transport creates its transfers from an ``Exchange``; the transfer validates requests and
/// follows redirects. The exchange enforces the timeouts; after a redirect, the transfer gives the next
/// exchange the remaining ``Request/Timeouts/total``.
///
/// ```swift
/// for try await event in transport.send(try Request(.get, "https://example.org/")) {
///   if case .head(let head) = event { print(head.status) }
/// }
/// ```
public protocol Transport: Sendable {
  /// Returns a cold transfer of a request.
  func send(_ request: Request) -> Transfer

  /// Returns the header fields that the transport would add to a request if it were sent now.
  ///
  /// Caches need them to select stored responses: those that identify the user (`Authorization`,
  /// `Cookie`), and others that a `Vary` may name. An identifying value can be replaced by a name that
  /// stays the same for the same user. The function returns immediately. A transport that adds nothing
  /// need not implement it; one that decorates another forwards the call.
  ///
  /// - Parameter request: The request that would be sent.
  /// - Returns: The fields; none by default.
  func addedFields(for request: Request) -> HTTPHeaders

  /// Closes what is kept open for later requests: idle connections, and a thread that waits on them.
  ///
  /// Running exchanges continue, and a later request opens the connections that it needs. A transport that
  /// keeps nothing open need not implement it, and one that decorates another asks that one.
  func closeIdleConnections() async
}

extension Transport {
  /// Returns no fields.
  public func addedFields(for request: Request) -> HTTPHeaders { HTTPHeaders() }

  /// Nothing.
  public func closeIdleConnections() async {}
}
