/// A tree of patterns by their segments, with the entries that end at each node.
struct RouteTree<Entry: Sendable>: Sendable {
  private var nodes = [RouteNode()]
  private var literals = SegmentTable()
  /// The entries that end at each node.
  private var entries: [[Entry]] = [[]]
  /// The node at which `**` also matches no segment.
  private var base = 0

  /// Makes an empty tree.
  ///
  /// - Parameter base: The path at which `**` also matches no segment.
  init(base: [RoutePattern.Token] = []) {
    self.base = index(of: base)
  }

  /// The entries of a pattern; appending to them builds the tree.
  subscript(pattern: [RoutePattern.Token]) -> [Entry] {
    mutating get { entries[index(of: pattern)] }
    _modify { yield &entries[index(of: pattern)] }
  }

  private mutating func index(of pattern: [RoutePattern.Token]) -> Int {
    pattern.reduce(0) { index($1, below: $0) }
  }

  private mutating func index(_ token: RoutePattern.Token, below parent: Int) -> Int {
    let found =
      switch token {
      case .literal(let key): literals.child(of: parent, key) ?? -1
      case .digits: nodes[parent].digits
      case .any: nodes[parent].any
      case .rest: nodes[parent].rest
      }
    guard found < 0 else { return found }
    let added = nodes.count
    nodes.append(RouteNode())
    entries.append([])
    switch token {
    case .literal(let key):
      nodes[parent].hasLiterals = true
      literals.insert(key, from: parent, to: added)
    case .digits: nodes[parent].digits = added
    case .any: nodes[parent].any = added
    case .rest: nodes[parent].rest = added
    }
    return added
  }

  /// Visits the entries of the patterns that match a path, the most specific first, until a visit
  /// returns a value.
  ///
  /// At each level a literal comes before `#`, `*` and `**`. One branch is followed for each kind,
  /// so that the cost depends on the depth of the path.
  func search<Found>(_ path: RoutePath, _ visit: ([Entry]) -> Found?) -> Found? {
    search(path, 0, 0, visit)
  }

  private func search<Found>(
    _ path: RoutePath,
    _ depth: Int,
    _ index: Int,
    _ visit: ([Entry]) -> Found?
  ) -> Found? {
    let node = nodes[index]
    guard depth < path.count else {
      if !entries[index].isEmpty, let found = visit(entries[index]) { return found }
      return index == base && node.rest >= 0 ? visit(entries[node.rest]) : nil
    }
    let segment = path[depth]
    if node.hasLiterals, let child = literals.child(of: index, segment),
      let found = search(path, depth + 1, child, visit)
    {
      return found
    }
    if node.digits >= 0, segment.allSatisfy(ASCII.isDigit),
      let found = search(path, depth + 1, node.digits, visit)
    {
      return found
    }
    if node.any >= 0, let found = search(path, depth + 1, node.any, visit) { return found }
    return node.rest >= 0 ? visit(entries[node.rest]) : nil
  }
}

/// The children of a node by kind; −1 if there is none.
private struct RouteNode: Sendable {
  var hasLiterals = false
  var digits = -1
  var any = -1
  var rest = -1
}
