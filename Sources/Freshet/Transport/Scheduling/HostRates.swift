/// The rates at which requests to each host have begun, if they are limited; a pure value.
struct HostRates: Sendable {
  private var buckets: [HostKey: TokenBucket] = [:]
  /// The number of hosts at which full buckets, which equal new ones, are removed.
  private var limit = 64

  var count: Int { buckets.count }

  /// Returns whether a request may begin now.
  func allow(_ host: HostKey, now: Duration) -> Bool {
    guard !buckets.isEmpty, var bucket = buckets[host] else { return true }
    return bucket.take(now: now)
  }

  /// Records that a request begins.
  mutating func spend(_ rate: RequestLimits.Rate, of host: HostKey, now: Duration) {
    if buckets.count >= limit, buckets[host] == nil {
      for host in Array(buckets.keys) where buckets[host]?.isFull(now: now) == true {
        buckets[host] = nil
      }
      limit = max(64, 2 * buckets.count)
    }
    _ = buckets[host, default: rate.bucket(now: now)].take(now: now)
  }

  /// Returns the time at which a request may begin; `nil` if it may now, or never will.
  func nextMoment(of host: HostKey, now: Duration) -> Duration? {
    guard var bucket = buckets[host], let moment = bucket.nextToken(now: now), moment > now else {
      return nil
    }
    return moment
  }
}
