#if Redis && !canImport(Darwin)
import Freshet

/// The lease under which the current task stores a response, which a store compares with that of the
/// response that it has.
///
/// It applies to the fetch that took the lease. Other fetches that its stages make, such as one for a
/// token, store under other keys or in other servers, and not under it.
struct Fence: Sendable {
  @TaskLocal static var current: Fence?

  let lease: Lease
  /// The keys under which the response may be stored.
  let keys: Set<CacheKey>

  /// Returns the number of the lease, if it applies to a key in the server of a pool.
  func number(for key: CacheKey, in pool: RedisPool) -> Int64? {
    lease.isOf(pool) && keys.contains(key) ? lease.number : nil
  }
}
#endif
