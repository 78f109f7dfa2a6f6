import FreshetEssentials

extension RoutePattern {
  /// Returns a Boolean value that indicates whether the pattern matches the URL's path, by the
  /// rules of ``Router``.
  func matches(_ url: URL) -> Bool {
    RoutePath.with(url) { matches($0) } ?? false
  }

  private func matches(_ path: RoutePath) -> Bool {
    if tokens == [.rest] { return true }
    guard tokens.last == .rest ? path.count >= tokens.count : path.count == tokens.count else {
      return false
    }
    return tokens.indices.allSatisfy { position in
      switch tokens[position] {
      case .literal(let key): path[position].elementsEqual(key)
      case .digits: path[position].allSatisfy(ASCII.isDigit)
      case .any, .rest: true
      }
    }
  }
}
