extension Request {
  /// Whether sending it twice means the same as sending it once, by its method or by its
  /// `Idempotency-Key` (RFC 9110 section 9.2.2).
  var isIdempotent: Bool {
    method.isIdempotent || headers.contains(.idempotencyKey)
  }
}
