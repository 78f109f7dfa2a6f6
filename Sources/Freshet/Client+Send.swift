import Foundation

extension Client {
  /// Sends a request past all stores: progress, and the response with its body in memory.
  ///
  /// Any status is a value here.
  ///
  /// - Parameters:
  ///   - request: What to send.
  ///   - limit: The largest body that is collected, in bytes; 64 MiB by default. A larger one fails
  ///     with ``FreshetError/limitExceeded(_:url:)``.
  /// - Returns: A cold sequence of events that ends after one value.
  public func send(_ request: Request, limit: Int = 64 << 20) -> ResponseSequence {
    ResponseSequence(
      transfer: settings.configuration.transport.send(prepared(request)),
      limit: limit
    )
  }
}
