public import FreshetEssentials

extension DiskStore {
  /// A body of which parts are stored.
  public struct PartEntry: Sendable, Hashable {
    /// The key of the whole.
    public let key: CacheKey
    /// The URL that answered.
    public let url: URL
    /// The length of the whole in bytes.
    public let length: Int64
    /// The ranges of bytes that are stored, in their order.
    public let ranges: [Range<Int64>]
    /// When a part was received or confirmed last.
    public let stored: Date
    /// Names under which it can be removed.
    public let tags: Set<String>

    init(_ part: PartFile) {
      let whole = part.whole
      key = CacheKey(text: whole.key)
      url = part.head.url
      length = part.total
      ranges = part.ranges
      stored = whole.received
      tags = Set(whole.tags)
    }
  }

  /// The bodies of which parts are stored, in no particular order; looking is no use of them.
  ///
  /// - Returns: An entry for each.
  /// - Throws: ``FreshetError/store(_:)`` if the store cannot be used, and ``FreshetError/cancelled``.
  public func partEntries() async throws(FreshetError) -> [PartEntry] {
    try await open()
    var entries: [PartEntry] = []
    for part in parts.all {
      if Task.isCancelled { throw .cancelled }
      entries.append(PartEntry(part))
      await Task.yield()
    }
    return entries
  }
}
