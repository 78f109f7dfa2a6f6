/// What a response may cost; more is an error, ``FreshetError/limitExceeded(_:url:)``.
public struct ResponseLimits: Sendable, Hashable {
  /// The largest number of header fields; 1,000 by default.
  public var headerCount = 1_000
  /// The largest size of all header lines together in bytes; 256 KiB by default.
  ///
  /// On Linux no single line may have more than 100 KiB.
  public var headerBytes = 256 * 1024
  /// The largest body in bytes after decoding, or `nil`, the default, for any size.
  public var bodyBytes: Int64?
  /// How many times larger than what was received a decoded body may become; 100 by default.
  ///
  /// It is checked once the decoded body has passed 32 MiB, so that small bodies that compress
  /// well are never refused. Of a body with two codings, what both put out counts on Linux, and each
  /// further member of a form as 256 bytes.
  public var decompressionRatio = 100

  /// Makes the default limits, changed by a closure.
  public init(_ configure: (inout ResponseLimits) -> Void = { _ in }) {
    configure(&self)
  }
}
