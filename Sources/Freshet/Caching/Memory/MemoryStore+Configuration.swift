import FreshetEssentials

extension MemoryStore {
  /// The limits of a memory store.
  public struct Configuration: Sendable, Hashable {
    /// The largest cost of all responses together, in bytes.
    public var costLimit: Int
    /// The largest number of responses.
    public var countLimit: Int
    /// The largest cost of one response, in bytes; larger ones are not stored.
    ///
    /// It is an eighth of ``costLimit`` until it is set.
    public var entryLimit: Int {
      get { ownEntryLimit ?? costLimit / 8 }
      set { ownEntryLimit = newValue }
    }
    private var ownEntryLimit: Int?

    /// Makes limits.
    ///
    /// - Parameters:
    ///   - costLimit: The largest cost of all responses together, in bytes; by default a twentieth
    ///     of the machine's memory, at least 16 and at most 512 MiB.
    ///   - countLimit: The largest number of responses; 65,536 by default.
    ///   - entryLimit: The largest cost of one response, in bytes; an eighth of `costLimit` by
    ///     default.
    public init(costLimit: Int? = nil, countLimit: Int = 65_536, entryLimit: Int? = nil) {
      self.costLimit =
        costLimit ?? Self.costLimit(forMemory: ProcessInfo.processInfo.physicalMemory)
      self.countLimit = countLimit
      ownEntryLimit = entryLimit
    }

    static func costLimit(forMemory bytes: UInt64) -> Int {
      min(max(Int(clamping: bytes / 20), 16 << 20), 512 << 20)
    }
  }
}
