public import Foundation
import Synchronization

/// What a fetch asked for before it was removed by key, tag or prefix, or with everything, is not kept
/// when it comes; what a prefix says counts for its whole partition then.
extension MemoryStore {
  /// Removes all responses stored for the key and for those that extend it.
  ///
  /// - Parameter key: The key.
  public func remove(_ key: CacheKey) async {
    note(.key(key))
    let removed = entries.withLock { $0.remove(key) }
    _ = consume removed
  }

  /// Removes one variant: the copy, or the error, that is kept under the response's key for the same
  /// varying fields.
  ///
  /// - Parameter response: Which variant.
  public func remove(_ response: StoredResponse) async {
    let removed = entries.withLock { $0.remove(variantOf: response) }
    _ = consume removed
  }

  /// Removes everything.
  public func removeAll() {
    note(.everything)
    empty()
  }

  /// Removes everything for the sake of its room: what is on the way is kept when it comes.
  func empty() {
    let removed = entries.withLock { entries in
      defer { entries = MemoryEntries() }
      return entries
    }
    _ = consume removed
  }

  /// Removes what was received or validated last longer ago than `age`, however often it was used; it
  /// looks at each one.
  ///
  /// - Parameters:
  ///   - age: The age; what is exactly as old stays.
  ///   - now: The time to compare with; the system's by default.
  /// - Returns: How many responses were removed.
  @discardableResult
  public func purge(olderThan age: Duration, now: Date = Date()) -> Int {
    let time = now.addingTimeInterval(-(age / .seconds(1)))
    let removed = entries.withLock { $0.removeAll(storedBefore: time) }
    return removed.count
  }

  /// Removes the responses that carry the tag; it looks at each one.
  ///
  /// - Parameter tag: One of ``StoredResponse/tags``.
  public func removeAll(tag: String) {
    note(.tag(tag))
    removeAll { $0.tags.contains(tag) }
  }

  /// Removes the responses of a partition whose URL begins with a prefix; it looks at each one.
  ///
  /// - Parameters:
  ///   - prefix: How the URL begins; `""` for the whole partition.
  ///   - partition: The partition; `""` by default, which does not reach into the others.
  public func removeAll(prefix: String, partition: String = "") {
    note(.partition(CacheKey.prefix(partition)))
    let range = KeyPrefix(prefix, partition: partition)
    removeAll { range.contains($0.key) }
  }

  /// Removes what was unused longest until the rest costs no more than this.
  ///
  /// - Parameter cost: The cost to go down to, in bytes.
  public func trim(toCost cost: Int) {
    let removed = entries.withLock { $0.trim(cost: cost, count: .max) }
    _ = consume removed
  }

  private func note(_ removal: Removal) {
    removals.withLock { $0.note(removal) }
  }

  private func removeAll(where isWanted: (StoredResponse) -> Bool) {
    let removed = entries.withLock { $0.removeAll(where: isWanted) }
    _ = consume removed
  }
}
