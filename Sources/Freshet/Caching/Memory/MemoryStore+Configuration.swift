import Foundation

extension MemoryStore {
  /// How much a store may keep.
  public struct Configuration: Sendable, Hashable {
    /// The largest cost of all responses together, in bytes.
    public var costLimit: Int
    /// The largest number of responses.
    public var countLimit: Int
    /// The largest cost of one response, in bytes; larger ones are not kept.
    public var entryLimit: Int

    /// Makes limits.
    ///
    /// - Parameters:
    ///   - costLimit: The largest cost of all responses together, in bytes; by default a twentieth
    ///     of the machine's memory, at least 16 and at most 512 MiB.
    ///   - countLimit: The largest number of responses; 65,536 by default.
    ///   - entryLimit: The largest cost of one response, in bytes; an eighth of `costLimit` by
    ///     default.
    public init(costLimit: Int? = nil, countLimit: Int = 65_536, entryLimit: Int? = nil) {
      let memory = ProcessInfo.processInfo.physicalMemory
      let share = Int(clamping: memory / 20)
      self.costLimit = costLimit ?? min(max(share, 16 << 20), 512 << 20)
      self.countLimit = countLimit
      self.entryLimit = entryLimit ?? self.costLimit / 8
    }
  }
}
