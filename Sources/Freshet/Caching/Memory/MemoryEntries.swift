import FreshetEssentials

/// The responses of a memory store, linked in the order of their use.
///
/// Links are positions in an array. The variants of a key are linked as well, the newest first.
struct MemoryEntries {
  private struct Node {
    var response: StoredResponse?
    var cost = 0
    /// The time when it was received or validated last, even if it now counts as older.
    var stored = Date.distantPast
    var variant = none
  }

  private static let none = -1
  /// The largest number of variants of a key, the same as on disk.
  static let variantLimit = 32

  private var heads: [CacheKey: Int] = [:]
  /// The keys that extend another one, by that one: there are few, and they are found without a
  /// scan.
  private var extensions: [CacheKey: Set<CacheKey>] = [:]
  private var nodes: ContiguousArray<Node> = []
  private var free: ContiguousArray<Int> = []
  private var order = UseOrder()

  private(set) var cost = 0
  var count: Int { nodes.count - free.count }

  /// All responses.
  var all: [StoredResponse] { nodes.compactMap(\.response) }

  /// Returns the best variant that matches, and makes it the most recently used entry; an error
  /// comes with the copy beside it.
  mutating func use(_ key: CacheKey, for headers: HTTPHeaders) -> StoredResponse? {
    var index = heads[key] ?? Self.none
    var choice = VariantChoice<Int>()
    while index != Self.none {
      let node = nodes[index]
      if let response = node.response {
        choice.offer(response, at: index, response.fit(headers))
      }
      index = node.variant
    }
    guard let (best, copy) = choice.answer else { return nil }
    guard let copy else {
      order.use(best.place)
      return best.response
    }
    order.use(copy.place)
    order.use(best.place)
    let beside = StoredResponse.Beside(response: copy.response, source: .memory)
    return best.response.with(beside: beside)
  }

  /// Stores a response in place of the same variant.
  ///
  /// - Returns: The variant that was removed because there were too many.
  mutating func insert(_ response: StoredResponse, cost: Int) -> StoredResponse? {
    let earlier = index(of: response).map { nodes[$0].stored } ?? .distantPast
    remove(variantOf: response)
    let node = Node(
      response: response,
      cost: cost,
      stored: max(response.responseTime, earlier),
      variant: heads[response.key] ?? Self.none
    )
    let index = free.popLast() ?? nodes.count
    if index < nodes.count { nodes[index] = node } else { nodes.append(node) }
    heads[response.key] = index
    for root in response.key.extended { extensions[root, default: []].insert(response.key) }
    self.cost += cost
    order.insert(index)
    return surplus(of: index).flatMap { remove(at: $0) }
  }

  /// Returns the last variant in the list that begins here, if there are too many.
  private func surplus(of first: Int) -> Int? {
    var (index, count) = (first, 1)
    while nodes[index].variant != Self.none {
      index = nodes[index].variant
      count += 1
    }
    return count > Self.variantLimit ? index : nil
  }

  /// Returns the index of the response that is stored under the same key for the same varying
  /// fields.
  private func index(of response: StoredResponse) -> Int? {
    var index = heads[response.key] ?? Self.none
    while index != Self.none {
      if nodes[index].response?.sharesPlace(with: response) == true { return index }
      index = nodes[index].variant
    }
    return nil
  }

  /// Removes the least recently used entries until the rest is within the limits.
  mutating func trim(cost limit: Int, count countLimit: Int) -> [StoredResponse] {
    var removed: [StoredResponse] = []
    while cost > limit || count > countLimit, let last = order.last {
      if let response = remove(at: last) { removed.append(response) }
    }
    return removed
  }

  /// Removes the responses of the key and of those that extend it.
  mutating func remove(_ key: CacheKey) -> [StoredResponse] {
    var removed: [StoredResponse] = []
    for key in [key] + (extensions[key] ?? []) {
      while let index = heads[key] {
        if let response = remove(at: index) { removed.append(response) }
      }
    }
    return removed
  }

  /// Returns the stored response that this one would replace.
  func variant(of response: StoredResponse) -> StoredResponse? {
    index(of: response).flatMap { nodes[$0].response }
  }

  /// Returns a Boolean value that indicates whether a copy of the resource is newer than an error
  /// that has arrived for the same requests.
  func hasNewerCopy(than error: StoredResponse) -> Bool {
    variants(of: error.key)
      .contains { _, copy in
        !copy.isRefusal && copy.varying.agrees(with: error.varying) && copy.outranks(error)
      }
  }

  /// Removes the errors that a copy has made obsolete.
  mutating func removeErrors(endedBy copy: StoredResponse) -> [StoredResponse] {
    // Nearly all keys have one variant.
    guard let first = heads[copy.key], nodes[first].variant != Self.none else { return [] }
    return variants(of: copy.key).filter { $0.response.isEnded(by: copy) }
      .compactMap { remove(at: $0.index) }
  }

  private func variants(of key: CacheKey) -> [(index: Int, response: StoredResponse)] {
    var variants: [(index: Int, response: StoredResponse)] = []
    var index = heads[key] ?? Self.none
    while index != Self.none {
      if let response = nodes[index].response { variants.append((index, response)) }
      index = nodes[index].variant
    }
    return variants
  }

  @discardableResult
  mutating func remove(variantOf response: StoredResponse) -> StoredResponse? {
    index(of: response).flatMap { remove(at: $0) }
  }

  /// Removes responses, by themselves and by the time when they were received or validated last.
  mutating func removeAll(where isWanted: (StoredResponse, Date) -> Bool) -> [StoredResponse] {
    nodes.indices
      .filter { index in
        nodes[index].response.map { isWanted($0, nodes[index].stored) } == true
      }
      .compactMap { remove(at: $0) }
  }
}

extension MemoryEntries {
  private mutating func remove(at index: Int) -> StoredResponse? {
    guard let response = nodes[index].response else { return nil }
    order.remove(index)
    unchain(index, key: response.key)
    cost -= nodes[index].cost
    nodes[index] = Node()
    free.append(index)
    return response
  }

  private mutating func forget(_ key: CacheKey) {
    for root in key.extended {
      extensions[root]?.remove(key)
      if extensions[root]?.isEmpty == true { extensions[root] = nil }
    }
  }

  /// Removes the entry from the list of its key's variants.
  private mutating func unchain(_ index: Int, key: CacheKey) {
    let next = nodes[index].variant
    guard var before = heads[key], before != index else {
      heads[key] = next == Self.none ? nil : next
      if next == Self.none { forget(key) }
      return
    }
    while nodes[before].variant != index {
      before = nodes[before].variant
    }
    nodes[before].variant = next
  }
}

extension CacheKey {
  /// The keys that this one extends; nearly all keys extend none, which costs nothing.
  fileprivate var extended: ArraySlice<CacheKey> {
    text.utf8.contains(UInt8(ascii: " ")) ? roots.dropFirst() : []
  }
}
