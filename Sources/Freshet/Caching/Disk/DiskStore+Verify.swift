import FreshetEssentials

extension DiskStore {
  /// The result of ``verify()``.
  public struct Verification: Sendable, Hashable {
    /// The number of checked responses.
    public var count: Int
    /// The number of bytes that were read, parts included.
    public var bytes: Int64
    /// The responses that were damaged, and have been removed; of parts, only the damaged bytes are.
    public var damaged: [Damage]

    package init(count: Int = 0, bytes: Int64 = 0, damaged: [Damage] = []) {
      self.count = count
      self.bytes = bytes
      self.damaged = damaged
    }

    /// One response that was damaged.
    public struct Damage: Sendable, Hashable {
      /// Its URL, without user, password, query and fragment.
      public let url: String
      /// The kind of damage, as the end of a sentence.
      public let reason: String

      package init(url: String, reason: String) {
        self.url = url
        self.reason = reason
      }
    }
  }

  /// Reads all stored responses and compares them with their digests; damaged ones are removed.
  ///
  /// The numbers of ``statistics()`` and the order of uses are corrected to match the records. It
  /// holds a piece of one body in memory at a time. The store can be used in the meantime; a
  /// response that is removed while it is read is not damaged.
  ///
  /// - Returns: The numbers of responses and bytes, and the damaged responses.
  /// - Throws: ``FreshetError/store(_:)`` if the store cannot be read, and
  ///   ``FreshetError/cancelled``.
  public func verify() async throws(FreshetError) -> Verification {
    var verification = Verification()
    var listings = entries.makeAsyncIterator()
    while let listing = try await listings.listing() {
      if Task.isCancelled { throw .cancelled }
      verification.count += 1
      switch listing {
      case .damaged(let id, let fingerprint, let key):
        await drop(id, fingerprint, key, because: Self.damagedRecord)
        verification.damaged.append(.init(url: key.shown, reason: Self.damagedRecord))
      case .entry(let entry):
        verification.bytes += entry.length
        guard let reason = try await damage(of: entry) else { continue }
        await drop(entry.id, entry.fingerprint, entry.key, because: reason)
        verification.damaged.append(.init(url: entry.key.shown, reason: reason))
      }
      await Task.yield()
    }
    try await verifyParts(&verification)
    try await recount()
    return verification
  }

  /// Compares parts with their digests; of one that is damaged, the bytes that are go.
  private func verifyParts(_ verification: inout Verification) async throws(FreshetError) {
    for part in parts.all {
      let (read, damaged) = await part.verify()
      if Task.isCancelled { throw .cancelled }
      verification.bytes += read
      guard damaged > 0 else { continue }
      verification.damaged.append(
        .init(
          url: CacheKey(text: part.whole.key).shown,
          reason: "\(damaged) bytes of its parts do not match their digests"
        )
      )
    }
  }

  /// Corrects the totals and the uses if they do not match the records.
  private func recount() async throws(FreshetError) {
    guard let generation else { return }
    let (isInOrder, unused): (Bool, [Int64])
    do throws(SQLiteError) {
      do throws(SQLiteError) {
        (isInOrder, unused) = try await audit()
      } catch {
        // A page that could not be read for a moment looks like damage.
        guard error.isCorruption else { throw error }
        (isInOrder, unused) = try await audit()
      }
    } catch {
      guard error.isCorruption else { throw .store(error.reason) }
      return await recover(generation, from: error)
    }
    if isInOrder, unused.isEmpty { return }
    try await writer.perform { transaction throws(SQLiteError) in
      if isInOrder { try transaction.addUses(of: unused) } else { try transaction.recount() }
    }
  }

  /// Compares the totals with the records, and finds the records without a use.
  private func audit() async throws(SQLiteError) -> (isInOrder: Bool, unused: [Int64]) {
    let audit = try DiskAudit(shared.layout.database.path)
    while true {
      if let isInOrder = try audit.goOn() { return (isInOrder, audit.unused) }
      await Task.yield()
    }
  }

  private static let damagedRecord = "its record is damaged"

  /// Returns the damage of an entry's body that two checks find; `nil` if it is intact or was
  /// removed.
  ///
  /// A body that could not be read for a moment is not damaged.
  private func damage(of entry: Entry) async throws(FreshetError) -> String? {
    guard try await look(at: entry) != nil else { return nil }
    return try await look(at: entry)
  }

  private func look(at entry: Entry) async throws(FreshetError) -> String? {
    guard let hit = await hit(of: entry) else { return nil }
    switch await body(of: hit) {
    case .unreadable(let failure):
      guard !failure.isShortage else { throw .store(StoreFailure(failure.reason)) }
      return "its body cannot be read: \(failure.reason)"
    case .damaged(let reason): return reason
    case .missing: return await self.hit(of: entry) == nil ? nil : "its body file is missing"
    case .whole(let body):
      do throws(FreshetError) {
        return try body.sha256() == hit.digest ? nil : "its body does not match its digest"
      } catch {
        return "its body does not match its digest"
      }
    }
  }
}
