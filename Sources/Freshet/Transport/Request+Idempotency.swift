extension Request {
  /// A Boolean value that indicates whether sending the request twice has the same effect as once.
  ///
  /// It is `true` for idempotent methods (RFC 9110 section 9.2.2), for requests that are declared safe, and
  /// with an `Idempotency-Key`.
  var isIdempotent: Bool {
    method.isIdempotent || headers.contains(.idempotencyKey) || isIdentifiedWhole
  }

  /// A Boolean value that indicates whether the body, if there is one, can be sent again.
  package var isReplayable: Bool { body?.isReplayable ?? true }
}
