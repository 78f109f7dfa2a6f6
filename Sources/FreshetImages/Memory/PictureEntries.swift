import Freshet

/// Pictures by request, linked in the order of their use.
///
/// Links are positions in an array, so that using an entry allocates nothing.
struct PictureEntries {
  struct Entry: Sendable {
    let image: LoadedImage
    /// Whether it may be shown before the origin is asked.
    let mayBeShownStale: Bool
  }

  private struct Node {
    var identity: ImageRequest.Identity
    var entry: Entry?
    var newer = none
    var older = none
  }

  private static let none = -1

  private var places: [ImageRequest.Identity: Int] = [:]
  private var nodes: [Node] = []
  private var free: [Int] = []
  private var newest = none
  private var oldest = none

  private(set) var cost = 0
  var count: Int { places.count }

  mutating func use(_ identity: ImageRequest.Identity) -> Entry? {
    guard let place = places[identity] else { return nil }
    unlink(place)
    link(place)
    return nodes[place].entry
  }

  /// Puts an entry in; returns the one that it replaces.
  mutating func insert(_ entry: Entry, for identity: ImageRequest.Identity) -> Entry? {
    let replaced = remove(identity)
    let node = Node(identity: identity, entry: entry)
    let place: Int
    if let vacant = free.popLast() {
      place = vacant
      nodes[place] = node
    } else {
      place = nodes.count
      nodes.append(node)
    }
    places[identity] = place
    cost += entry.image.picture.cost
    link(place)
    return replaced
  }

  /// Removes what was unused longest until the rest is within the limit.
  mutating func trim(to limit: Int) -> [Entry?] {
    var removed: [Entry?] = []
    while cost > limit, oldest != Self.none {
      removed.append(remove(nodes[oldest].identity))
    }
    return removed
  }

  private mutating func remove(_ identity: ImageRequest.Identity) -> Entry? {
    guard let place = places.removeValue(forKey: identity) else { return nil }
    unlink(place)
    free.append(place)
    let entry = nodes[place].entry.take()
    cost -= entry?.image.picture.cost ?? 0
    return entry
  }

  private mutating func link(_ place: Int) {
    nodes[place].newer = Self.none
    nodes[place].older = newest
    if newest != Self.none { nodes[newest].newer = place }
    newest = place
    if oldest == Self.none { oldest = place }
  }

  private mutating func unlink(_ place: Int) {
    let (newer, older) = (nodes[place].newer, nodes[place].older)
    if newer == Self.none { newest = older } else { nodes[newer].older = older }
    if older == Self.none { oldest = newer } else { nodes[older].newer = newer }
  }
}
