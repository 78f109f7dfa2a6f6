/// How fast requests have begun to each host, where that is limited; a pure value.
struct HostRates: Sendable {
  private var buckets: [HostKey: TokenBucket] = [:]
  /// At how many hosts those are forgotten whose bucket is full, which says nothing.
  private var limit = 64

  var count: Int { buckets.count }

  /// Whether one may begin now.
  func allow(_ host: HostKey, now: Duration) -> Bool {
    guard !buckets.isEmpty, var bucket = buckets[host] else { return true }
    return bucket.take(now: now)
  }

  /// Notes that one begins.
  mutating func spend(_ rate: RequestLimits.Rate, of host: HostKey, now: Duration) {
    if buckets.count >= limit, buckets[host] == nil {
      for host in Array(buckets.keys) where buckets[host]?.isFull(now: now) == true {
        buckets[host] = nil
      }
      limit = max(64, 2 * buckets.count)
    }
    _ = buckets[host, default: rate.bucket(now: now)].take(now: now)
  }

  /// When one may begin who may not now; `nil` if it may, or never will.
  func nextMoment(of host: HostKey, now: Duration) -> Duration? {
    guard var bucket = buckets[host], let moment = bucket.nextToken(now: now), moment > now else {
      return nil
    }
    return moment
  }
}
