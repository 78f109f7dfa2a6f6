import Freshet
import Synchronization

/// Keeps decoded pictures in memory, the most recently used ones within its limit.
///
/// - A picture is found by its request: resource, headers, target and animation.
/// - Finding and keeping count as use. What was unused longest goes first.
/// - A picture whose response says `no-store` is never kept, and the one before it goes.
public final class PictureCache: Sendable {
  /// The largest cost of all pictures together, in bytes.
  public let costLimit: Int
  private let entries: Mutex<PictureEntries>

  /// Makes an empty cache.
  ///
  /// - Parameter costLimit: The largest cost of all pictures together, in bytes; 128 MiB by default.
  public init(costLimit: Int = 128 << 20) {
    self.costLimit = costLimit
    entries = Mutex(PictureEntries())
  }

  /// What the pictures cost, in bytes; never more than ``costLimit``.
  public var cost: Int { entries.withLock { $0.cost } }
  /// How many pictures are kept.
  public var count: Int { entries.withLock { $0.count } }

  /// Removes everything.
  public func removeAll() {
    let removed = entries.withLock { entries in
      defer { entries = PictureEntries() }
      return entries
    }
    // Pictures are released after the lock.
    _ = consume removed
  }
}

extension PictureCache {
  func find(_ identity: ImageRequest.Identity) -> PictureEntries.Entry? {
    entries.withLock { $0.use(identity) }
  }

  func remove(_ identity: ImageRequest.Identity) {
    let removed = entries.withLock { $0.remove(identity) }
    _ = consume removed
  }

  func keep(_ entry: PictureEntries.Entry, for identity: ImageRequest.Identity) {
    let removed = entries.withLock { entries in
      let replaced = entries.insert(entry, for: identity)
      return [replaced] + entries.trim(to: costLimit)
    }
    _ = consume removed
  }
}
