import Foundation

/// What is removed in bulk takes a database with it that was set aside as damaged: nobody knows what is
/// in that.
///
/// What a fetch asked for before it was removed by key, tag or prefix, or with everything, is not kept
/// when it comes, in this process and in others; what a prefix says counts for its whole partition then.
extension DiskStore {
  private static let step = 256

  /// Removes all responses stored for the key and for those that extend it: with a `Host` field, chosen
  /// header fields or a body.
  ///
  /// - Parameter key: The key.
  /// - Throws: ``FreshetError/store(_:)`` if they could not be removed.
  public func remove(_ key: CacheKey) async throws(FreshetError) {
    let now = EventInstant.now
    partials.removeAll { key.covers(CacheKey(text: $0.key)) }
    parts.removeAll { key.covers(CacheKey(text: $0.key)) }
    try await writer.perform { transaction throws(SQLiteError) in
      try transaction.note(.key(key), at: now)
      try transaction.delete(coveredBy: key)
    }
  }

  /// Removes one variant: the copy, or the error, that is stored under the response's key for the same
  /// varying fields.
  ///
  /// - Parameter response: Which variant.
  /// - Throws: ``FreshetError/store(_:)`` if it could not be removed.
  public func remove(_ response: StoredResponse) async throws(FreshetError) {
    let (varying, isRefusal) = (response.varying, response.isRefusal)
    _ = try await writer.perform { transaction throws(SQLiteError) in
      try transaction.deleteAll(
        "SELECT id, cost, file FROM response WHERE key = ? AND varying = ?",
        [
          .text(response.key.text),
          .blob(DiskRecord.encode(varying.salted(transaction.salt), isRefusal: isRefusal)),
        ]
      )
    }
  }

  /// Removes the responses that carry the tag.
  ///
  /// - Parameter tag: One of ``StoredResponse/tags``.
  /// - Throws: ``FreshetError/store(_:)`` if they could not be removed; some may be gone.
  public func removeAll(tag: String) async throws(FreshetError) {
    unlink(shared.layout.corruptDatabase.path)
    partials.removeAll { $0.tags.contains(tag) }
    parts.removeAll { $0.tags.contains(tag) }
    try await removeStepwise(
      "SELECT id, cost, file FROM tag JOIN response ON id = tag.response WHERE name = ?",
      [.text(tag)],
      of: .tag(tag)
    )
  }

  /// Removes the responses of a partition whose URL begins with a prefix.
  ///
  /// - Parameters:
  ///   - prefix: How the URL begins; `""` for the whole partition.
  ///   - partition: The partition; `""` by default, which does not reach into the others.
  /// - Throws: ``FreshetError/store(_:)`` if they could not be removed; some may be gone.
  public func removeAll(prefix: String, partition: String = "") async throws(FreshetError) {
    let range = KeyPrefix(prefix, partition: partition)
    unlink(shared.layout.corruptDatabase.path)
    partials.removeAll { range.contains(CacheKey(text: $0.key)) }
    parts.removeAll { range.contains(CacheKey(text: $0.key)) }
    // Texts are ordered by their bytes: none that begins with the prefix comes after this end.
    let end = range.text + "\u{10FFFF}"
    let own = partition.isEmpty ? "AND instr(key, char(10)) = 0" : ""
    try await removeStepwise(
      "SELECT id, cost, file FROM response WHERE key >= ? AND key < ? \(own)",
      [.text(range.text), .text(end)],
      of: .partition(CacheKey.prefix(partition))
    )
  }

  /// Removes everything, a database that was set aside included.
  ///
  /// If the database has no room for that, on a full disk, it is replaced by an empty one.
  ///
  /// - Throws: ``FreshetError/store(_:)`` if something could not be removed; some may be gone.
  public func removeAll() async throws(FreshetError) {
    unlink(shared.layout.corruptDatabase.path)
    partials.removeAll()
    parts.removeAll { _ in true }
    let now = EventInstant.now
    do throws(FreshetError) {
      try await removeStepwise("SELECT id, cost, file FROM response", [], of: .everything)
    } catch {
      guard let generation else { throw error }
      try await discard(generation, because: error.storeReason)
      // Where even that has no room, nothing that comes has.
      try? await writer.perform { transaction throws(SQLiteError) in
        try transaction.note(.everything, at: now)
      }
    }
  }

  /// Throws the database away unless that has happened, and then all bodies that the new one does not
  /// need: other processes may keep something in it already.
  private func discard(_ generation: Int, because reason: String) async throws(FreshetError) {
    try await writer.perform { transaction throws(SQLiteError) in
      guard transaction.generation == generation else { return }
      throw SQLiteError(discarding: "it could not be emptied: \(reason)")
    }
    try await removeUnneededBodies()
  }

  func removeUnneededBodies() async throws(FreshetError) {
    for shard in 0..<256 {
      let folder = shared.layout.shard(shard)
      try await writer.perform { transaction throws(SQLiteError) in
        for name in DirectoryEntry.names(in: folder) where try !transaction.needs(name) {
          unlink("\(folder)/\(name)")
        }
      }
    }
  }

  /// Removes what was last stored or validated longer ago than `age`, however often it was used.
  ///
  /// - Parameter age: The age; what is exactly as old stays.
  /// - Returns: How many responses were removed.
  /// - Throws: ``FreshetError/store(_:)`` if they could not be removed; some may be gone.
  @discardableResult
  public func purge(olderThan age: Duration) async throws(FreshetError) -> Int {
    unlink(shared.layout.corruptDatabase.path)
    let time = shared.tuning.now().timeIntervalSinceReferenceDate - age / .seconds(1)
    partials.removeAll { $0.responseTime < time }
    parts.removeAll { $0.responseTime < time }
    return try await removeStepwise(
      "SELECT id, cost, file FROM response WHERE stored < ?",
      [.real(time)]
    )
  }

  /// Removes in bounded transactions, so that nobody waits long in between.
  @discardableResult
  private func removeStepwise(
    _ sql: String,
    _ parameters: [SQLiteValue],
    of removal: Removal? = nil
  ) async throws(FreshetError) -> Int {
    let now = EventInstant.now
    var count = 0
    while true {
      let removed = try await writer.perform { transaction throws(SQLiteError) in
        // With the first records already, and in the database that has the last ones.
        if let removal { try transaction.note(removal, at: now) }
        return try transaction.deleteAll("\(sql) LIMIT \(Self.step)", parameters)
      }
      count += removed
      if removed < Self.step { return count }
    }
  }
}
