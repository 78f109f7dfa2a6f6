import Freshet
import Synchronization

/// Caches decoded pictures in memory, the most recently used ones within a limit.
///
/// - A picture is found by its request: resource, headers, target, animation and
///   processors.
/// - Finding and storing a picture count as uses. The least recently used pictures are removed first.
/// - A picture that is larger than the limit is not cached.
/// - A picture whose response has `no-store` is never cached, and the earlier one is removed.
/// - Under memory pressure on Apple platforms it removes half of its contents, or all.
public final class PictureCache: Sendable {
  /// The largest cost of all pictures together, in bytes.
  public let costLimit: Int
  private let entries: Mutex<PictureEntries>
  #if canImport(Darwin)
  private let pressure = MemoryPressure()
  #endif

  /// Creates an empty cache.
  ///
  /// - Parameter costLimit: The largest cost of all pictures together, in bytes; 128 MiB by default.
  public init(costLimit: Int = 128 << 20) {
    self.costLimit = costLimit
    entries = Mutex(PictureEntries())
    #if canImport(Darwin)
    pressure.watch { [weak self] isCritical in
      guard let self else { return }
      if isCritical { removeAll() } else { trim(to: cost / 2) }
    }
    #endif
  }

  /// The cost of all pictures, in bytes; never more than ``costLimit``.
  public var cost: Int { entries.withLock { $0.cost } }
  /// The number of pictures.
  public var count: Int { entries.withLock { $0.count } }

  /// Removes all pictures.
  public func removeAll() {
    let removed = entries.withLock { entries in
      defer { entries = PictureEntries() }
      return entries
    }
    // Releases the pictures after the lock.
    _ = consume removed
  }

  /// Removes the pictures whose response carries a tag; it examines all of them.
  ///
  /// The stores of the client have a method of the same name for the responses.
  ///
  /// - Parameter tag: One of the ``/Freshet/Request/tags``.
  public func removeAll(tag: String) {
    let removed = entries.withLock { $0.removeAll { $0.response?.tags.contains(tag) == true } }
    _ = consume removed
  }
}

extension PictureCache {
  #if canImport(Darwin)
  private func trim(to cost: Int) {
    let removed = entries.withLock { $0.trim(to: cost) }
    _ = consume removed
  }
  #endif

  func find(_ identity: ImageRequest.Identity) -> PictureEntries.Entry? {
    entries.withLock { $0.use(identity) }
  }

  func remove(_ identity: ImageRequest.Identity) {
    let removed = entries.withLock { $0.remove(identity) }
    _ = consume removed
  }

  func keep(_ entry: PictureEntries.Entry, for identity: ImageRequest.Identity) {
    let removed = entries.withLock { entries in
      // It would displace all others first.
      if entry.image.picture.cost > costLimit { return [entries.remove(identity)] }
      let replaced = entries.insert(entry, for: identity)
      return [replaced] + entries.trim(to: costLimit)
    }
    _ = consume removed
  }
}
