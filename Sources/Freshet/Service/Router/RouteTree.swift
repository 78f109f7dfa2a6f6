/// Patterns as a tree of segments, each with the entries that end there.
struct RouteTree<Entry: Sendable>: Sendable {
  private struct Node: Sendable {
    var literals = SegmentTable()
    var digits = -1
    var any = -1
    var rest = -1
    var entries: [Entry] = []
  }

  private var nodes = [Node()]

  /// The entries of a pattern; appending is what building is.
  subscript(pattern: [RoutePattern.Token]) -> [Entry] {
    mutating get { nodes[index(of: pattern)].entries }
    _modify { yield &nodes[index(of: pattern)].entries }
  }

  private mutating func index(of pattern: [RoutePattern.Token]) -> Int {
    pattern.reduce(0) { index($1, below: $0) }
  }

  private mutating func index(_ token: RoutePattern.Token, below parent: Int) -> Int {
    let found =
      switch token {
      case .literal(let key): nodes[parent].literals.find(key) ?? -1
      case .digits: nodes[parent].digits
      case .any: nodes[parent].any
      case .rest: nodes[parent].rest
      }
    guard found < 0 else { return found }
    let added = nodes.count
    nodes.append(Node())
    switch token {
    case .literal(let key): nodes[parent].literals.insert(key, child: added)
    case .digits: nodes[parent].digits = added
    case .any: nodes[parent].any = added
    case .rest: nodes[parent].rest = added
    }
    return added
  }

  /// Visits the entries of the patterns that match a path, the most specific first, until a visit
  /// returns something.
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
    guard depth < path.count else {
      return nodes[index].entries.isEmpty ? nil : visit(nodes[index].entries)
    }
    let segment = path[depth]
    if let child = nodes[index].literals.find(segment),
      let found = search(path, depth + 1, child, visit)
    {
      return found
    }
    let digits = nodes[index].digits
    if digits >= 0, segment.allSatisfy(ASCII.isDigit),
      let found = search(path, depth + 1, digits, visit)
    {
      return found
    }
    let any = nodes[index].any
    if any >= 0, let found = search(path, depth + 1, any, visit) { return found }
    let rest = nodes[index].rest
    return rest >= 0 ? visit(nodes[rest].entries) : nil
  }
}
