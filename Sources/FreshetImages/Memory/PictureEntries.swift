import Freshet

/// The cached pictures by request, in the order of their use.
struct PictureEntries {
  struct Entry: Sendable {
    let image: LoadedImage
    /// A Boolean value that indicates whether it may be shown before it is revalidated.
    let mayBeShownStale: Bool
    /// The newest response with the bytes of the picture, without them.
    var response: StoredResponse?
    /// A Boolean value that indicates whether that response is a seed.
    var isSeed = false
  }

  private struct Node {
    let identity: ImageRequest.Identity
    let entry: Entry
  }

  private var places: [ImageRequest.Identity: Int] = [:]
  private var nodes: [Node?] = []
  private var free: [Int] = []
  private var order = UseOrder()

  private(set) var cost = 0
  var count: Int { places.count }

  mutating func use(_ identity: ImageRequest.Identity) -> Entry? {
    guard let place = places[identity] else { return nil }
    order.use(place)
    return nodes[place]?.entry
  }

  /// Inserts an entry, and returns the one that it replaces.
  mutating func insert(_ entry: Entry, for identity: ImageRequest.Identity) -> Entry? {
    let replaced = remove(identity)
    let node = Node(identity: identity, entry: entry)
    let place = free.popLast() ?? nodes.count
    if place < nodes.count { nodes[place] = node } else { nodes.append(node) }
    places[identity] = place
    cost += entry.image.picture.cost
    order.insert(place)
    return replaced
  }

  /// Removes the least recently used entries until the rest is within the limit.
  mutating func trim(to limit: Int) -> [Entry?] {
    var removed: [Entry?] = []
    while cost > limit, let last = order.last, let node = nodes[last] {
      removed.append(remove(node.identity))
    }
    return removed
  }

  /// Removes the entries that match, and returns them.
  mutating func removeAll(where isWanted: (Entry) -> Bool) -> [Entry?] {
    nodes.compactMap(\.self).filter { isWanted($0.entry) }.map { remove($0.identity) }
  }

  mutating func remove(_ identity: ImageRequest.Identity) -> Entry? {
    guard let place = places.removeValue(forKey: identity) else { return nil }
    order.remove(place)
    free.append(place)
    let entry = nodes[place].take()?.entry
    cost -= entry?.image.picture.cost ?? 0
    return entry
  }
}
