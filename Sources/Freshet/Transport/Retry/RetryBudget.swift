import Synchronization

/// A limit for the retries to each host, so that many clients do not overload a failing server.
///
/// Each host has a bucket, which is full at first. A retry takes one token, and is only made if there
/// is one; each first attempt and each second add a fraction of one. Within a client, policies with
/// equal budgets share their buckets.
public struct RetryBudget: Sendable, Hashable {
  /// The capacity of the bucket, which is the largest number of retries in a row; 10 by default.
  public var capacity: Double
  /// The number of tokens that a first attempt adds; 0.1 by default: one retry for ten requests.
  public var perRequest: Double
  /// The number of tokens that a second adds; 0.1 by default, so that infrequent callers can retry too.
  public var perSecond: Double

  /// Creates a budget.
  public init(capacity: Double = 10, perRequest: Double = 0.1, perSecond: Double = 0.1) {
    self.capacity = capacity
    self.perRequest = perRequest
    self.perSecond = perSecond
  }
}

/// The buckets of a transport's hosts.
final class RetryAccounts: Sendable {
  private let budget: RetryBudget
  private let buckets = Mutex<[URLOrigin: TokenBucket]>([:])

  /// The number of hosts at which full buckets, which equal new ones, are removed.
  private static let remembered = 256

  init(_ budget: RetryBudget) {
    self.budget = budget
  }

  func deposit(for host: URLOrigin, now: Duration) {
    buckets.withLock { $0[host]?.add(budget.perRequest, now: now) }
  }

  func withdraw(for host: URLOrigin, now: Duration) -> Bool {
    buckets.withLock { buckets in
      if buckets.count >= Self.remembered, buckets[host] == nil {
        forget(from: &buckets, now: now)
      }
      let new = TokenBucket(capacity: budget.capacity, perSecond: budget.perSecond, now: now)
      return buckets[host, default: new].take(now: now)
    }
  }

  private func forget(from buckets: inout [URLOrigin: TokenBucket], now: Duration) {
    for host in Array(buckets.keys) where buckets[host]?.isFull(now: now) == true {
      buckets[host] = nil
    }
    guard buckets.count >= Self.remembered else { return }
    // All buckets are in use: removing the fullest one has the least effect.
    if let fullest = buckets.max(by: { $0.value.level < $1.value.level }) {
      buckets[fullest.key] = nil
    }
  }
}
