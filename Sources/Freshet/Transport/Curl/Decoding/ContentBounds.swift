#if !canImport(Darwin)
/// The limits for the size of a body while it is decoded, in bytes.
///
/// They include intermediate results: with two codings, the intermediate form can be a thousand times
/// larger than both the input and the output.
struct ContentBounds {
  /// The largest total output of all codings.
  ///
  /// Each further member of a body counts ``ContentDecoder/memberCost`` in addition, even if it is empty.
  var total: Int64
  /// The largest output of a coding whose output is encoded itself.
  var inner: Int64

  /// Creates the limits for a body of which some bytes were received.
  ///
  /// - Parameters:
  ///   - limits: The limits of the request.
  ///   - received: An upper bound of the bytes received so far.
  init(_ limits: ResponseLimits, received: Int64) {
    let (allowed, overflow) = received.multipliedReportingOverflow(
      by: Int64(limits.decompressionRatio)
    )
    total = overflow ? .max : max(allowed, Self.free)
    // Encoding incompressible data makes it larger, by far less than an eighth.
    inner = limits.bodyBytes.map { $0.saturatingSum($0 / 8 + Self.slack) } ?? .max
  }

  /// The total output that is always allowed: 32 MiB.
  private static let free: Int64 = 32 << 20
  private static let slack: Int64 = 64 << 10
}
#endif
