public import FreshetEssentials

/// A store that several processes share, such as `SharedStore` of FreshetRedis.
///
/// A ``Client`` asks it after its disk, and applies the removals of other processes to its memory and
/// its disk.
public protocol SharedResourceStore: ResourceStore {
  /// The removals that processes have made, from now on; a sequence of its own for each access.
  ///
  /// An invalidation by this process is not among them: its client has told all of its stores. The
  /// sequence ends with the store.
  var removals: AsyncStream<StoreRemoval> { get }

  /// Returns the stages that the store adds to a client's chains, between coalescing and the network.
  ///
  /// Of the fetches of one process that are coalesced, one passes them.
  ///
  /// - Parameter stages: The stages before them, which begin with the lookups.
  /// - Returns: Stages; by default none.
  func networkStages(after stages: [any FetchStage]) -> [any FetchStage]
}

extension SharedResourceStore {
  /// Returns no stages.
  public func networkStages(after stages: [any FetchStage]) -> [any FetchStage] { [] }
}

/// A removal from a store that several processes share.
public enum StoreRemoval: Sendable, Hashable {
  /// A change at the origin, by the clock of the responses, see ``ResourceSource/invalidate(_:at:)``.
  case invalidated(CacheKey, at: Date)
  /// The responses of a key and of those that extend it.
  case key(CacheKey)
  /// The responses that carry a tag.
  case tag(String)
  /// The responses of a partition whose URL begins with a prefix.
  case prefix(String, partition: String)
  /// All responses.
  case everything
  /// Removals that were not received, because the connection was lost for too long, or the engine was
  /// restarted.
  case missed
}

extension MemoryStore {
  /// Applies a removal that another process has made; removes everything if some were missed.
  package func apply(_ removal: StoreRemoval) async {
    switch removal {
    case .invalidated(let key, let time): await invalidate(key, at: time)
    case .key(let key): await remove(key)
    case .tag(let tag): removeAll(tag: tag)
    case .prefix(let prefix, let partition): removeAll(prefix: prefix, partition: partition)
    case .everything, .missed: removeAll()
    }
  }
}

extension DiskStore {
  /// Applies a removal that another process has made; missed ones leave the disk unchanged.
  package func apply(_ removal: StoreRemoval) async {
    switch removal {
    case .invalidated(let key, let time): await invalidate(key, at: time)
    case .key(let key): try? await remove(key)
    case .tag(let tag): try? await removeAll(tag: tag)
    case .prefix(let prefix, let partition):
      try? await removeAll(prefix: prefix, partition: partition)
    case .everything: try? await removeAll()
    case .missed: break
    }
  }
}
