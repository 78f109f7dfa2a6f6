#if os(Linux)
/// When a transfer has waited too long, in nanoseconds of the loop's clock.
struct CurlDeadlines {
  private let total: UInt64?
  private let firstByte: UInt64?
  private let idle: UInt64?
  private let end: UInt64?

  /// When bytes moved last, in either direction.
  var lastActivity: UInt64
  /// Whether the head has come.
  var hasHead = false
  /// Whether it is the reader, or the body's source, that is waited for.
  var isPaused = false
  /// Whether the whole response has come, and only the request's body has not gone.
  var isAnswered = false

  /// How long what is answered may go on being sent without a byte that moves.
  private static let patience: UInt64 = 1_000_000_000

  init(_ timeouts: Request.Timeouts, start: UInt64) {
    total = timeouts.total.map(Self.nanoseconds)
    firstByte = timeouts.firstByte.map(Self.nanoseconds)
    idle = timeouts.idle.map(Self.nanoseconds)
    end = total.map { start + $0 }
    lastActivity = start
  }

  /// Waits as at the beginning, but for the end of the whole, which stays.
  mutating func beginAnew(at time: UInt64) {
    lastActivity = time
    isPaused = false
  }

  /// The earliest deadline, and what will have taken too long then.
  var earliest: (time: UInt64, phase: FreshetError.TimeoutPhase)? {
    let phase: FreshetError.TimeoutPhase = hasHead ? .idle : .firstByte
    var silence = isPaused ? nil : hasHead ? idle : firstByte
    if isAnswered, !isPaused { silence = min(silence ?? .max, Self.patience) }
    guard let silence else { return end.map { ($0, .total) } }
    let time = lastActivity + silence
    if let end, end <= time { return (end, .total) }
    return (time, phase)
  }

  /// A duration in nanoseconds, at least 0, at most about a century.
  static func nanoseconds(_ duration: Duration) -> UInt64 {
    let (seconds, attoseconds) = duration.components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    return UInt64(min(seconds, 3_000_000_000)) * 1_000_000_000 + UInt64(attoseconds) / 1_000_000_000
  }
}
#endif
