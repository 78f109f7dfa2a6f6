#if !canImport(Darwin)
/// The deadlines of a transfer, in nanoseconds of the loop's clock.
struct CurlDeadlines {
  private let total: UInt64?
  private let firstByte: UInt64?
  private let idle: UInt64?
  private let end: UInt64?
  let start: UInt64

  /// The time at which bytes last moved, in either direction.
  var lastActivity: UInt64
  /// A Boolean value that indicates whether the head has arrived.
  var hasHead = false
  /// A Boolean value that indicates whether the transfer waits for its reader, or for the body's source.
  var isPaused = false
  /// A Boolean value that indicates whether the whole response has arrived before the whole request was sent.
  var isAnswered = false

  /// The longest time without progress for sending the body of an answered request: 1 second.
  private static let patience: UInt64 = 1_000_000_000

  init(_ timeouts: Request.Timeouts, start: UInt64) {
    total = timeouts.total.map(Self.nanoseconds)
    firstByte = timeouts.firstByte.map(Self.nanoseconds)
    idle = timeouts.idle.map(Self.nanoseconds)
    end = total.map { start + $0 }
    self.start = start
    lastActivity = start
  }

  /// Restarts the timeouts, except for the total one.
  mutating func beginAnew(at time: UInt64) {
    lastActivity = time
    isPaused = false
  }

  /// The earliest deadline, and the phase that exceeds its time then.
  var earliest: (time: UInt64, phase: FreshetError.TimeoutPhase)? {
    let phase: FreshetError.TimeoutPhase = hasHead ? .idle : .firstByte
    var silence = isPaused ? nil : hasHead ? idle : firstByte
    if isAnswered, !isPaused { silence = min(silence ?? .max, Self.patience) }
    guard let silence else { return end.map { ($0, .total) } }
    let time = lastActivity + silence
    if let end, end <= time { return (end, .total) }
    return (time, phase)
  }

  /// Returns a duration in nanoseconds, clamped to 0 and about a century.
  static func nanoseconds(_ duration: Duration) -> UInt64 {
    let (seconds, attoseconds) = duration.components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    return UInt64(min(seconds, 3_000_000_000)) * 1_000_000_000 + UInt64(attoseconds) / 1_000_000_000
  }
}
#endif
