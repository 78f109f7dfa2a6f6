import Synchronization

/// How many retries each host gets, so that many clients do not finish off a server in trouble.
///
/// Each host has a bucket that is full at first. A retry takes one from it and needs it; each first
/// attempt and each second puts a little back. Within a client, policies with equal budgets share
/// their buckets; those with different ones have their own.
public struct RetryBudget: Sendable, Hashable {
  /// The largest number of retries in a row; 10 by default.
  public var capacity: Double
  /// What a first attempt puts back; 0.1 by default: one retry for ten requests.
  public var perRequest: Double
  /// What a second puts back; 0.1 by default, so that a rare caller gets retries again.
  public var perSecond: Double

  /// Makes a budget.
  public init(capacity: Double = 10, perRequest: Double = 0.1, perSecond: Double = 0.1) {
    self.capacity = capacity
    self.perRequest = perRequest
    self.perSecond = perSecond
  }
}

/// The accounts of a client, one set a budget.
final class RetryBudgets: Sendable {
  private let accounts = Mutex<[RetryBudget: RetryAccounts]>([:])

  func accounts(for budget: RetryBudget) -> RetryAccounts {
    accounts.withLock { accounts in
      if let known = accounts[budget] { return known }
      let new = RetryAccounts(budget)
      accounts[budget] = new
      return new
    }
  }
}

/// The buckets of a transport's hosts.
final class RetryAccounts: Sendable {
  private let budget: RetryBudget
  private let buckets = Mutex<[URLOrigin: TokenBucket]>([:])

  /// How many hosts are remembered before full buckets, which say nothing, are forgotten.
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
    // All are in use: the one that has most left is the one whose loss matters least.
    if let fullest = buckets.max(by: { $0.value.level < $1.value.level }) {
      buckets[fullest.key] = nil
    }
  }
}
