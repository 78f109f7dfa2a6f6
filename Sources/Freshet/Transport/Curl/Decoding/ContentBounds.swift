#if os(Linux)
/// How much a body may become while it is decoded, in bytes.
///
/// Not only what comes out at the end counts: a form inside of another one can be a thousand times
/// larger than both its ends.
struct ContentBounds {
  /// The largest sum of what all codings put out.
  ///
  /// Each further member of a form counts for ``ContentDecoder/memberCost`` besides, also if it is
  /// empty.
  var total: Int64
  /// The largest output of a coding whose output is encoded itself.
  var inner: Int64

  /// The bounds for a body of which so much has come.
  ///
  /// - Parameters:
  ///   - limits: The limits of the request.
  ///   - received: The bytes that have come, at most.
  init(_ limits: ResponseLimits, received: Int64) {
    let (allowed, overflow) = received.multipliedReportingOverflow(
      by: Int64(limits.decompressionRatio)
    )
    total = overflow ? .max : max(allowed, Self.free)
    // Coding makes what cannot be made smaller larger, by far less than an eighth.
    inner =
      limits.bodyBytes.map { $0.addingReportingOverflow($0 / 8 + Self.slack) }
      .map { $0.overflow ? .max : $0.partialValue } ?? .max
  }

  /// What every body may become.
  private static let free: Int64 = 32 << 20
  private static let slack: Int64 = 64 << 10
}
#endif
