/// A token bucket: tokens are taken one by one and return over time.
///
/// Times are durations since an arbitrary start.
struct TokenBucket: Sendable, Hashable {
  let capacity: Double
  let perSecond: Double
  private(set) var level: Double
  private var moment: Duration

  /// Creates a full bucket.
  init(capacity: Double, perSecond: Double, now: Duration) {
    self.capacity = capacity
    self.perSecond = perSecond
    level = capacity
    moment = now
  }

  /// Takes a token; returns `false` if there is none.
  mutating func take(now: Duration) -> Bool {
    refill(now: now)
    // Rounding errors leave sums such as ten times 0.1 slightly below a whole number.
    guard level > 1 - 1e-9 else { return false }
    level = max(0, level - 1)
    return true
  }

  mutating func add(_ tokens: Double, now: Duration) {
    refill(now: now)
    level = min(capacity, level + tokens)
  }

  /// Returns the time at which there is a token; `nil` if never.
  mutating func nextToken(now: Duration) -> Duration? {
    refill(now: now)
    guard level <= 1 - 1e-9 else { return now }
    guard perSecond > 0 else { return nil }
    return now + .seconds(min((1 - level) / perSecond, Duration.longestWait / .seconds(1)))
  }

  mutating func isFull(now: Duration) -> Bool {
    refill(now: now)
    return level >= capacity
  }

  private mutating func refill(now: Duration) {
    guard now > moment else { return }
    level = min(capacity, level + (now - moment) / .seconds(1) * perSecond)
    moment = now
  }
}
