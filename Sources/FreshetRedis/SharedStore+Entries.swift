#if Redis && !canImport(Darwin)
public import FreshetEssentials
public import Freshet

extension SharedStore {
  /// The stored responses, one after the other, in no particular order.
  ///
  /// - The server is asked for a few at a time, without their bodies, and executes the commands of others
  ///   in between. Each of its answers may take as long as ``Configuration/connectTimeout``.
  /// - Responses that processes store or remove during the iteration may be included or not. One that stays
  ///   is included, once. The iteration remembers 16 bytes for each key.
  /// - Removed responses, and those of no more use, are left out although the server may still have them. So are
  ///   damaged records, see ``verify()``.
  ///
  /// ```swift
  /// for try await entry in shared.entries { print(entry.url, entry.length) }
  /// ```
  public var entries: Entries { Entries(store: self) }

  /// A stored response, without its body.
  public struct Entry: Sendable, Hashable {
    let id: String
    let place: BodyPlace
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
    /// The names under which it can be removed.
    public let tags: Set<String>
    /// The record with its head and its key.
    let record: Data
    /// The partition of its key, see ``/Freshet/CacheKey``; `""` for none.
    public var partition: String { key.partition }

    init(_ listed: Listed) {
      let variant = listed.variant
      id = variant.id
      place = listed.place
      key = variant.key
      url = variant.url
      status = variant.status
      length = variant.length
      digest = variant.digest
      stored = variant.storedTime
      tags = variant.tags
      record = variant.record
    }
  }

  /// The sequence of the stored responses, see ``SharedStore/entries``.
  public struct Entries: AsyncSequence, Sendable {
    let store: SharedStore

    /// Makes an iterator; nothing is read yet.
    public func makeAsyncIterator() -> Iterator {
      Iterator(store: store)
    }
  }

  /// The numbers and sizes of stored responses.
  public typealias Statistics = DiskStore.Statistics

  /// Returns the number and the size of the stored responses, after counting ``entries``.
  ///
  /// - Returns: The numbers; a shared store has no parts of bodies.
  /// - Throws: ``/Freshet/FreshetError/store(_:)`` if the server has not answered in time, and
  ///   ``/Freshet/FreshetError/cancelled``.
  public func statistics() async throws(FreshetError) -> Statistics {
    var statistics = Statistics(count: 0, bytes: 0)
    for try await entry in entries {
      statistics.count += 1
      statistics.bytes = statistics.bytes.saturatingSum(entry.length)
        .saturatingSum(Int64(entry.record.count))
    }
    return statistics
  }
}

extension SharedStore.Entries {
  /// Reads the entries.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let store: SharedStore
    fileprivate var listings: ArraySlice<SharedListing> = []
    /// The names of entries that the server has returned.
    fileprivate var names: ArraySlice<String> = []
    /// The digests of the names that the server has returned, which it repeats when its table of keys becomes
    /// smaller.
    fileprivate var seen: Set<UInt128> = []
    /// The server's place in its table of keys; `nil` at its end.
    fileprivate var cursor: String? = "0"

    /// The number of entries that are read at once.
    private static let portion = 16

    /// Returns the next entry, or `nil` after the last one.
    ///
    /// - Parameter actor: The actor on which the caller runs.
    /// - Returns: The entry.
    /// - Throws: ``/Freshet/FreshetError/store(_:)`` if the server has not answered in time, and
    ///   ``/Freshet/FreshetError/cancelled``.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> SharedStore.Entry? {
      while let listing = try await listing() {
        if case .entry(let entry) = listing { return entry }
      }
      return nil
    }

    /// Returns the next record; `nil` after the last one, and after a failure.
    mutating func listing() async throws(FreshetError) -> SharedListing? {
      while listings.isEmpty {
        if Task.isCancelled { throw .cancelled }
        do throws(RedisFailure) {
          guard try await turnPage() else { return nil }
        } catch {
          names = []
          cursor = nil
          throw error.error
        }
      }
      return listings.popFirst()
    }

    /// Reads some more; returns `false` after the last one.
    private mutating func turnPage() async throws(RedisFailure) -> Bool {
      if names.isEmpty {
        guard let last = cursor else { return false }
        let page = try await store.scan(from: last)
        let new = page.names.filter { name in
          UInt128(name.suffix(32), radix: 16).map { seen.insert($0).inserted } ?? true
        }
        names = new[...]
        cursor = page.cursor == "0" ? nil : page.cursor
      }
      let portion = names.prefix(Self.portion)
      names = names.dropFirst(Self.portion)
      listings = try await store.listings(of: portion)[...]
      return true
    }
  }
}

@available(*, unavailable)
extension SharedStore.Entries.Iterator: Sendable {}

extension SharedStore.Entries: PipelineDescribable, CustomStringConvertible {
  /// The store's name, followed by `.entries`.
  package var words: PipelineDescription { PipelineDescription("shared", ".entries") }
}

/// A record as it is listed: an entry, or a damaged one.
enum SharedListing: Sendable {
  case entry(SharedStore.Entry)
  case damaged(id: String, SharedStore.BodyPlace?, entry: String, url: String)
}

// MARK: - Reading

extension SharedStore {
  /// Returns the names of some of the entries, and the place from which to go on.
  fileprivate func scan(
    from cursor: String
  ) async throws(RedisFailure) -> (cursor: String, names: [String]) {
    let words = ["SCAN", cursor, "MATCH", names.entries, "COUNT", "256"]
    let reply = try await pool.send(.words(words.map(RedisArgument.text)), isPatient: true)
    guard let found = reply.elements, found.count == 2, let next = found[0].text,
      let names = found[1].elements
    else { throw RedisFailure.unreadable }
    return (next, names.compactMap(\.text))
  }

  fileprivate func listings(
    of names: some Sequence<String>
  ) async throws(RedisFailure) -> [SharedListing] {
    let results = await withTaskGroup(of: Result<[SharedListing], RedisFailure>.self) { group in
      for name in names {
        group.addTask {
          await Result.awaiting { () async throws(RedisFailure) in
            try await self.listings(of: name)
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    var listings: [SharedListing] = []
    for result in results { listings += try result.get() }
    return listings
  }

  /// Returns the records of an entry.
  ///
  /// Their key is in the records, and the key decides which removals concern them.
  private func listings(of name: String) async throws(RedisFailure) -> [SharedListing] {
    let fields: [String: RedisReply]
    do throws(RedisFailure) {
      let get: [RedisArgument] = [.text("HGETALL"), .text(name)]
      fields = try await pool.send(.words(get), isPatient: true).fields
    } catch {
      guard error.isWrongType else { throw error }
      return [.damaged(id: "", nil, entry: name, url: name)]
    }
    let ids = fields.keys.compactMap { $0.first == "i" ? String($0.dropFirst()) : nil }
    let keys = ids.compactMap { fields["h\($0)"]?.data.flatMap { SharedVariant($0) }?.key }
    let own = fields["g"]?.text
    guard own != nil, let key = keys.first(where: { names.entry($0) == name }) else {
      let get: [RedisArgument] = [.text("HGET"), .text(names.control), .text("g")]
      let generation = try await pool.send(.words(get), isPatient: true).text
      guard (own ?? generation) == generation else { return [] }
      return ids.map { id in
        let place = fields["i\(id)"]?.text.flatMap(BodyPlace.init)
        return .damaged(id: id, place, entry: name, url: name)
      }
    }
    let listing = try await list(key, isPatient: true)
    return listing.variants.map { .entry(Entry($0)) }
      + listing.damaged.map { .damaged(id: $0.id, $0.place, entry: name, url: key.shown) }
  }
}
#endif
