public import FreshetEssentials

extension DiskStore {
  /// The stored entries, one after the other, in no particular order.
  ///
  /// - It holds a few dozen entries at a time, however many there are, and no bodies.
  /// - Entries that other tasks and processes store or remove during the iteration may be included
  ///   or not; an entry that stays is included once.
  /// - A damaged record is left out, see ``verify()``.
  ///
  /// ```swift
  /// for try await entry in disk.entries { print(entry.url, entry.length) }
  /// ```
  public var entries: Entries { Entries(store: self) }

  /// A stored response, without its body.
  public struct Entry: Sendable, Hashable {
    let id: Int64
    let fingerprint: Int64
    /// The key under which it is stored.
    public let key: CacheKey
    /// The URL that answered.
    public let url: URL
    /// The status code.
    public let status: HTTPStatus
    /// The length of the body in bytes.
    public let length: Int64
    /// The SHA-256 of the body.
    public let digest: SHA256Checksum
    /// The time when it was received or validated last.
    public let stored: Date
    /// The time when it was stored, validated or used last, as far as that is written: a store writes
    /// uses in groups; `nil` if it is unknown.
    public let used: Date?
    /// The values of the request's fields that selected it.
    public let varying: VaryingFields
    /// The names under which it can be removed.
    public let tags: Set<String>
    /// The partition of its key, see ``CacheKey``; `""` for none.
    public var partition: String { key.partition }
  }

  /// The sequence of the stored entries, see ``DiskStore/entries``.
  public struct Entries: AsyncSequence, Sendable {
    let store: DiskStore

    /// Makes an iterator; nothing is read yet.
    public func makeAsyncIterator() -> Iterator {
      Iterator(store: store)
    }
  }

  /// Returns the response of an entry, with its body; it does not count as a use.
  ///
  /// - Parameter entry: One of ``entries``.
  /// - Returns: The response; `nil` if it was removed or replaced in the meantime, or is damaged.
  public func response(for entry: Entry) async -> StoredResponse? {
    guard await isUsable(), let hit = await hit(of: entry),
      case .whole(let body) = await body(of: hit)
    else { return nil }
    return hit.response.with(body: body, digest: hit.digest)
  }

  /// Returns the row of an entry, unless it was removed or replaced in the meantime.
  func hit(of entry: Entry) async -> DiskHit? {
    let hit: DiskHit? =
      (try? await read { reader throws(SQLiteError) in try reader.hit(entry.id) }) ?? nil
    return hit?.fingerprint == entry.fingerprint ? hit : nil
  }
}

extension DiskStore.Entries {
  /// Reads the entries.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let store: DiskStore
    fileprivate var page: ArraySlice<DiskListing> = []
    fileprivate var last: Int64 = 0
    fileprivate var hasFailed = false

    /// Returns the next entry, or `nil` after the last one.
    ///
    /// - Parameter actor: The actor on which the caller runs.
    /// - Returns: The entry.
    /// - Throws: ``FreshetError/store(_:)`` if the store cannot be read.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> DiskStore.Entry? {
      while let listing = try await listing() {
        if case .entry(let entry) = listing { return entry }
      }
      return nil
    }

    /// Returns the next record; `nil` after the last one, and after a failure.
    mutating func listing() async throws(FreshetError) -> DiskListing? {
      if hasFailed { return nil }
      do throws(FreshetError) {
        try await turnPage()
      } catch {
        hasFailed = true
        throw error
      }
      guard let listing = page.popFirst() else { return nil }
      last = listing.id
      return listing
    }

    private mutating func turnPage() async throws(FreshetError) {
      guard page.isEmpty else { return }
      if Task.isCancelled { throw .cancelled }
      try await store.open()
      let generation = store.generation
      do throws(SQLiteError) {
        page = try await nextPage()
      } catch {
        guard error.isCorruption, let generation else { throw .store(error.reason) }
        page = try await pageOfAnother(than: generation, after: error)
      }
    }

    /// Has a damaged database replaced, and reads a page of the new one.
    private func pageOfAnother(
      than generation: Int,
      after error: SQLiteError
    ) async throws(FreshetError) -> ArraySlice<DiskListing> {
      await store.recover(generation, from: error)
      do throws(SQLiteError) {
        return try await nextPage()
      } catch {
        throw .store(error.reason)
      }
    }

    private func nextPage() async throws(SQLiteError) -> ArraySlice<DiskListing> {
      let last = last
      let page = try await store.read { reader throws(SQLiteError) in
        try reader.page(after: last)
      }
      return (page ?? [])[...]
    }
  }
}

@available(*, unavailable)
extension DiskStore.Entries.Iterator: Sendable {}

/// A record as it is listed: an entry, or a damaged one.
enum DiskListing: Sendable {
  case entry(DiskStore.Entry)
  case damaged(id: Int64, fingerprint: Int64, key: CacheKey)

  var id: Int64 {
    switch self {
    case .entry(let entry): entry.id
    case .damaged(let id, _, _): id
    }
  }
}

extension DiskStore.Entries: PipelineDescribable, CustomStringConvertible {
  /// The store's name, followed by `.entries`.
  package var words: PipelineDescription { PipelineDescription("disk", ".entries") }
}
