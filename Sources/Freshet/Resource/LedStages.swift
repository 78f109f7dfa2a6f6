import Foundation

/// What all led fetches of a client and its choices receive with, and where they keep it.
final class LedStages: Sendable {
  let tools: ReceptionTools
  let hasStores: Bool
  private let disk: StoreKeeper<DiskStore>?
  private let memory: StoreKeeper<MemoryStore>?

  init(_ tools: ReceptionTools, disk: DiskStore?, memory: MemoryStore?, _ expiry: ExpiryPolicy) {
    self.tools = tools
    self.disk = disk.map { StoreKeeper(store: $0, expiry: expiry) }
    self.memory = memory.map { StoreKeeper(store: $0, expiry: expiry) }
    hasStores = disk != nil || memory != nil
  }

  /// The step, kept where it belongs.
  nonisolated(nonsending) func kept(
    _ step: Fetch?,
    since began: EventInstant
  ) async throws(FreshetError) -> Fetch? {
    var step = step
    if let disk, let received = step { step = try await disk.kept(received, since: began) }
    if let memory, let received = step { step = try await memory.kept(received, since: began) }
    return step
  }

  /// Lets copies expire whose resource is gone, if that is the failure.
  nonisolated(nonsending) func learn(from error: FreshetError) async {
    await disk?.learn(from: error)
    await memory?.learn(from: error)
  }
}
