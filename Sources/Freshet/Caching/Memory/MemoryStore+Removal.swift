public import FreshetEssentials
import Synchronization

/// Removals.
///
/// Responses that a fetch requested before a removal by key, tag or prefix, or of everything, are
/// not stored when they arrive. A removal by prefix applies to its whole partition in this respect.
extension MemoryStore {
  /// Removes all responses stored for the key and for those that extend it.
  ///
  /// - Parameter key: The key.
  public func remove(_ key: CacheKey) async {
    note(.key(key))
    let removed = entries.withLock { $0.remove(key) }
    _ = consume removed
  }

  /// Removes one variant: the copy, or the error, that is stored under the response's key for the
  /// same varying fields.
  ///
  /// - Parameter response: A response of the variant.
  public func remove(_ response: StoredResponse) async {
    let removed = entries.withLock { $0.remove(variantOf: response) }
    _ = consume removed
  }

  /// Removes everything.
  public func removeAll() {
    note(.everything)
    empty()
  }

  /// Removes everything to free memory; responses that are on their way are stored when they
  /// arrive.
  func empty() {
    let removed = entries.withLock { entries in
      defer { entries = MemoryEntries() }
      return entries
    }
    _ = consume removed
  }

  /// Removes responses that were received or validated longer ago than `age`, however often they
  /// were used; it examines all of them.
  ///
  /// A time that is more than a day ahead, by a clock that was wrong then, counts as longer ago.
  ///
  /// - Parameters:
  ///   - age: The age; a response of exactly this age stays.
  ///   - now: The time to compare with; the system's by default.
  /// - Returns: The number of removed responses.
  @discardableResult
  public func purge(olderThan age: Duration, now: Date = Date()) -> Int {
    let time = now.addingTimeInterval(-(age / .seconds(1)))
    let latest = now + Invalidations.longestTransfer
    let removed = entries.withLock { entries in
      entries.removeAll { _, stored in stored < time || stored > latest }
    }
    return removed.count
  }

  /// Removes the responses that carry the tag; it examines all of them.
  ///
  /// - Parameter tag: One of ``StoredResponse/tags``.
  public func removeAll(tag: String) {
    note(.tag(tag))
    removeAll { $0.tags.containsTag(tag) }
  }

  /// Removes the responses of a partition whose URL begins with a prefix; it examines all of them.
  ///
  /// - Parameters:
  ///   - prefix: The beginning of the URL; `""` for the whole partition. It is compared as text with URLs whose
  ///     scheme and host are in lower case, without the scheme's own port: `…/users/1` covers `…/users/10` too.
  ///   - partition: The partition; `""` by default, which does not include the others.
  public func removeAll(prefix: String, partition: String = "") {
    note(.partition(partition))
    let range = KeyPrefix(prefix, partition: partition)
    removeAll { range.contains($0.key) }
  }

  /// Removes the least recently used responses until the rest costs at most this.
  ///
  /// - Parameter cost: The cost to reach, in bytes.
  public func trim(toCost cost: Int) {
    let removed = entries.withLock { $0.trim(cost: cost, count: .max) }
    _ = consume removed
  }

  private func note(_ removal: Removal) {
    removals.withLock { $0.note(removal) }
  }

  private func removeAll(where isWanted: (StoredResponse) -> Bool) {
    let removed = entries.withLock { $0.removeAll { response, _ in isWanted(response) } }
    _ = consume removed
  }
}
