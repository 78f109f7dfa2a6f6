import Foundation

extension DiskStore {
  /// What ``verify()`` has found.
  public struct Verification: Sendable, Hashable {
    /// How many responses were looked at.
    public var count = 0
    /// How many bytes of bodies were read.
    public var bytes: Int64 = 0
    /// The responses that were damaged, and have been removed.
    public var damaged: [Damage] = []

    /// One response that was damaged.
    public struct Damage: Sendable, Hashable {
      /// Its URL, without user, password, query and fragment.
      public let url: String
      /// What was wrong, as the end of a sentence.
      public let reason: String
    }
  }

  /// Reads everything that is stored and compares it with its digests; what is damaged is removed.
  ///
  /// The numbers of ``statistics()`` and the order of uses are brought in line with the records.
  /// It holds a piece of one body at a time. Others may use the store meanwhile; what they remove while
  /// it is read is not damage.
  ///
  /// - Returns: What it has found.
  /// - Throws: ``FreshetError/store(_:)`` if the store cannot be read, and ``FreshetError/cancelled``.
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
        guard let reason = await damage(of: entry) else { continue }
        await drop(entry.id, entry.fingerprint, entry.key, because: reason)
        verification.damaged.append(.init(url: entry.key.shown, reason: reason))
      }
      await Task.yield()
    }
    try await recount()
    return verification
  }

  /// Brings the numbers that are kept beside the records in line with them, if they are not.
  private func recount() async throws(FreshetError) {
    guard generation != nil else { return }
    do throws(SQLiteError) {
      let audit = try DiskAudit(shared.layout.database.path)
      var isInOrder: Bool?
      while isInOrder == nil {
        isInOrder = try audit.goOn()
        await Task.yield()
      }
      if isInOrder == true { return }
    } catch {
      throw .store(error.reason)
    }
    try await writer.perform { transaction throws(SQLiteError) in try transaction.recount() }
  }

  private static let damagedRecord = "its record is damaged"

  /// What is wrong with an entry's body whenever it is looked at; `nil` if nothing is or it is gone.
  ///
  /// What could not be read for a moment is not damaged.
  private func damage(of entry: Entry) async -> String? {
    guard await look(at: entry) != nil else { return nil }
    return await look(at: entry)
  }

  private func look(at entry: Entry) async -> String? {
    guard let hit = try? await hit(entry.id), hit.fingerprint == entry.fingerprint else {
      return nil
    }
    switch await body(of: hit, entry.key) {
    case .unreadable(let reason): return "its body cannot be read: \(reason)"
    case .damaged(let reason): return reason
    case .missing:
      let isStillThere = (try? await self.hit(entry.id))??.fingerprint == entry.fingerprint
      return isStillThere ? "its body is gone" : nil
    case .whole(let body):
      do throws(FreshetError) {
        return try body.sha256() == hit.digest ? nil : "its body has another digest"
      } catch {
        return "its body has another digest"
      }
    }
  }
}
