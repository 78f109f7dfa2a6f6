import Foundation

extension Client {
  /// Sends a request past all stores: progress, and the response with its body in memory.
  ///
  /// Any status is a value here. Nothing is stored, but the stores learn of it: an unsafe request that
  /// was no error removes what is stored for its URL and for those that `Location` and
  /// `Content-Location` name at the same origin, before the value comes (RFC 9111 section 4.4); a
  /// `HEAD` brings a stored response up to date, or lets it expire (section 4.3.5).
  ///
  /// - Parameters:
  ///   - request: What to send; a path such as `.get("users")` is resolved against
  ///     ``Configuration/baseURL``.
  ///   - limit: The largest body that is collected, in bytes; 64 MiB by default. A larger one fails
  ///     with ``FreshetError/limitExceeded(_:url:)``.
  /// - Returns: A cold sequence of events that ends after one value.
  public func send(_ request: Request, limit: Int = 64 << 20) -> ResponseSequence {
    ResponseSequence(prepared(request), over: resourceTransport(for: request), limit: limit)
  }
}
