public import FreshetEssentials

extension Client {
  /// Fetches a resource with another expiry, and otherwise the client's policy.
  ///
  /// ```swift
  /// let logo = try await client.resource(at: url, expiry: .after(.hours(2))).value
  /// ```
  ///
  /// - Parameters:
  ///   - url: The URL of the resource: an absolute `http` or `https` URL.
  ///   - expiry: The expiry of stored copies.
  /// - Returns: A cold sequence of events.
  public func resource(at url: URL, expiry: ExpiryPolicy) -> ResourceSequence {
    resource(at: url) { $0.expiry = expiry }
  }

  /// Fetches a resource with the client's policy, changed by a closure.
  ///
  /// ```swift
  /// for try await event in client.resource(at: url, { $0.stale = .beforeValidation }) { … }
  /// ```
  ///
  /// - Parameters:
  ///   - url: The URL of the resource: an absolute `http` or `https` URL.
  ///   - configure: A closure that changes the client's policy for this fetch.
  /// - Returns: A cold sequence of events.
  public func resource(
    at url: URL,
    _ configure: (inout ResourcePolicy) -> Void
  ) -> ResourceSequence {
    resource(Request(.get, url), configure)
  }

  /// Fetches the resource of a request with the client's policy, changed by a closure.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - configure: A closure that changes the client's policy for this fetch.
  /// - Returns: A cold sequence of events.
  public func resource(
    _ request: Request,
    _ configure: (inout ResourcePolicy) -> Void
  ) -> ResourceSequence {
    resource(request, policy: policy(configure))
  }

  /// Returns the client's policy, changed by a closure.
  func policy(_ configure: (inout ResourcePolicy) -> Void) -> ResourcePolicy {
    var policy = configuration.policy
    configure(&policy)
    return policy
  }
}
