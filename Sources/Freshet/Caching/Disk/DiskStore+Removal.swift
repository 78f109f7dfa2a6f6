import FreshetEssentials

/// Removals.
///
/// A bulk removal also deletes a database that was set aside as damaged, because its contents are
/// unknown.
///
/// Responses that were requested before a removal by key, tag or prefix, or of everything, are not
/// stored when they arrive, in this process and in others. A removal by prefix applies to its whole
/// partition in this respect.
///
/// If records cannot be removed, as on a full disk, the files of their bodies are removed before the next
/// attempt, which may need the space; without its file, a record is a miss.
extension DiskStore {
  private static let step = 256

  /// Removes all responses stored for the key and for those that extend it: with a `Host` field, chosen
  /// header fields or a body.
  ///
  /// - Parameter key: The key.
  /// - Throws: ``FreshetError/store(_:)`` if they could not be removed; some may have been.
  public func remove(_ key: CacheKey) async throws(FreshetError) {
    let failure = removeIncomplete { key.covers(CacheKey(text: $0.key)) }
    // After that: a body that is put together of parts which it has still found comes too late.
    let now = EventInstant.now
    try await writer.perform { transaction throws(SQLiteError) in
      try transaction.note(.key(key), at: now)
      try transaction.delete(coveredBy: key)
    }
    if let failure { throw failure }
  }

  /// Removes one variant: the copy, or the error, that is stored under the response's key for the same
  /// varying fields.
  ///
  /// - Parameter response: A response of the variant.
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
  /// - Throws: ``FreshetError/store(_:)`` if they could not be removed; some may have been.
  public func removeAll(tag: String) async throws(FreshetError) {
    unlink(shared.layout.corruptDatabase.path)
    let failure = removeIncomplete { $0.tags.containsTag(tag) }
    try await removeStepwise(
      """
      SELECT id, cost, file, id FROM tag JOIN response ON id = tag.response
      WHERE name = ? AND tag.response >= ? ORDER BY tag.response
      """,
      [.text(tag)],
      of: .tag(tag)
    )
    if let failure { throw failure }
  }

  /// Removes the responses of a partition whose URL begins with a prefix.
  ///
  /// - Parameters:
  ///   - prefix: The beginning of the URL; `""` for the whole partition. It is compared as text with URLs whose
  ///     scheme and host are in lower case, without the scheme's own port: `…/users/1` covers `…/users/10` too.
  ///   - partition: The partition; `""` by default, which does not include the others.
  /// - Throws: ``FreshetError/store(_:)`` if they could not be removed; some may have been.
  public func removeAll(prefix: String, partition: String = "") async throws(FreshetError) {
    let range = KeyPrefix(prefix, partition: partition)
    unlink(shared.layout.corruptDatabase.path)
    let failure = removeIncomplete { range.contains(CacheKey(text: $0.key)) }
    // Texts are ordered by their bytes: none that begins with the prefix comes after this end.
    let end = range.text + "\u{10FFFF}"
    let own = partition.isEmpty ? "AND instr(key, char(10)) = 0" : ""
    try await removeStepwise(
      "SELECT id, cost, file, key FROM response WHERE key < ? AND key >= ? \(own) ORDER BY key",
      [.text(end)],
      from: .text(range.text),
      of: .partition(partition)
    )
    if let failure { throw failure }
  }

  /// Removes everything, including a database that was set aside.
  ///
  /// If the database has no room for that, on a full disk, it is replaced by an empty one.
  ///
  /// - Throws: ``FreshetError/store(_:)`` if something could not be removed; some may have been.
  public func removeAll() async throws(FreshetError) {
    unlink(shared.layout.corruptDatabase.path)
    let failure = removeIncomplete()
    let now = EventInstant.now
    do throws(FreshetError) {
      try await removeRecords()
    } catch {
      guard let generation else { throw error }
      try await discard(generation, because: error.storeReason)
      // If even that has no room, no response can be written either.
      try? await writer.perform { transaction throws(SQLiteError) in
        try transaction.note(.everything, at: now)
      }
    }
    if let failure { throw failure }
  }

  /// Removes all records, after all bodies if that fails: there may be no space for it, or for opening the database.
  private func removeRecords() async throws(FreshetError) {
    let all = "SELECT id, cost, file, id FROM response WHERE id >= ? ORDER BY id"
    do throws(FreshetError) {
      try await removeStepwise(all, [], of: .everything)
    } catch {
      guard removeBodies() else { throw error }
      try await removeStepwise(all, [], of: .everything)
    }
  }

  /// Removes the files of all bodies, and returns whether there were any.
  private func removeBodies() -> Bool {
    var hasRemoved = false
    for shard in 0..<256 {
      let folder = shared.layout.shard(shard)
      for name in DirectoryEntry.names(in: folder) where unlink("\(folder)/\(name)") == 0 {
        hasRemoved = true
      }
    }
    return hasRemoved
  }

  /// Discards the database, unless that has happened, and then all bodies that the new one does not
  /// need: other processes may have stored something in it already.
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

  /// Removes responses that were stored or validated longer ago than `age`, however often they were
  /// used.
  ///
  /// A time that is more than a day ahead, by a clock that was wrong then, counts as longer ago.
  ///
  /// - Parameter age: The age; a response of exactly this age stays.
  /// - Returns: The number of removed responses.
  /// - Throws: ``FreshetError/store(_:)`` if they could not be removed; some may have been.
  @discardableResult
  public func purge(olderThan age: Duration) async throws(FreshetError) -> Int {
    unlink(shared.layout.corruptDatabase.path)
    let now = shared.tuning.now().timeIntervalSinceReferenceDate
    let (time, latest) = (now - age / .seconds(1), now + Invalidations.longestTransfer)
    let failure = removeIncomplete { $0.responseTime < time || $0.responseTime > latest }
    let count = try await removeStepwise(
      """
      SELECT id, cost, file, id FROM response
      WHERE (stored < ? OR stored > ?) AND id >= ? ORDER BY id
      """,
      [.real(time), .real(latest)]
    )
    if let failure { throw failure }
    return count
  }

  /// Removes the parts and the partial bodies whose records match; all of them for `nil`.
  ///
  /// Parts come first: the shelf counts the removal, so that a partial body that begins later is
  /// refused, and one that has begun is found, see ``PartShelf/epoch``.
  ///
  /// - Returns: The failure, if some of them cannot be listed.
  func removeIncomplete(where isWanted: ((PartialRecord) -> Bool)? = nil) -> FreshetError? {
    var failure: FileFailure?
    for remove in [parts.removeAll, partials.removeAll] {
      do throws(FileFailure) {
        try remove(isWanted)
      } catch {
        failure = failure ?? error
      }
    }
    return failure.map { .store($0.reason) }
  }

  /// Removes records in bounded transactions, so that other writes wait only briefly.
  ///
  /// - Parameters:
  ///   - sql: A query that selects `id, cost, file` and the value by which it is ordered, from its last parameter on.
  ///   - parameters: The other parameters.
  ///   - start: The first value.
  ///   - removal: The removal to record.
  /// - Returns: The number of removed records.
  /// - Throws: ``FreshetError/store(_:)`` if some could not be removed.
  @discardableResult
  private func removeStepwise(
    _ sql: String,
    _ parameters: [SQLiteValue],
    from start: SQLiteValue = .integer(.min),
    of removal: Removal? = nil
  ) async throws(FreshetError) -> Int {
    let now = EventInstant.now
    var count = 0
    // A step begins where the one before has ended: it does not pass again all that stays.
    var reached: (value: SQLiteValue, generation: Int)?
    while true {
      let step = try await writer.perform { [reached] transaction throws(SQLiteError) in
        // Recorded with the first records already, and in the database that has the last ones.
        if let removal { try transaction.note(removal, at: now) }
        // Another database has other records.
        let known = reached?.generation == transaction.generation ? reached?.value : nil
        let all = parameters + [known ?? start]
        let (count, last) = try transaction.deleteFirst(sql, all, limit: Self.step)
        return (count: count, reached: last.map { ($0, transaction.generation) })
      }
      count += step.count
      if step.count < Self.step { return count }
      reached = step.reached
    }
  }
}
