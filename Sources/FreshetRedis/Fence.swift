#if Redis && !canImport(Darwin)
import Freshet

/// The lease under which the current task stores a response, which a store compares with that of the
/// response that it has.
///
/// It applies to the fetch that took the lease. Other fetches that its stages make, such as one for a
/// token, store under other keys or in other servers, and not under it.
struct Fence: Sendable {
  @TaskLocal static var current: Fence?

  /// The number of the lease, and not the lease: tasks that have begun under it may live longer.
  private let number: Int64
  private let pool: RedisPool
  /// The keys under which the response may be stored.
  private let keys: Set<CacheKey>

  init(lease: Lease, keys: Set<CacheKey>) {
    number = lease.number
    pool = lease.pool
    self.keys = keys
  }

  /// Returns the number of the lease, if it applies to a key in the server of a pool.
  func number(for key: CacheKey, in pool: RedisPool) -> Int64? {
    self.pool === pool && keys.contains(key) ? number : nil
  }
}
#endif
