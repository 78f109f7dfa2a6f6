import Foundation
import Freshet
import Testing

/// The router against a matcher that tries every route.
@Suite struct RouterPropertyTests {
  /// Which segments a pattern matches, and how specific it is at each level.
  private struct Naive {
    let pattern: String
    let tokens: [Substring]

    init(_ pattern: String) {
      self.pattern = pattern
      tokens = pattern.split(separator: "/")
    }

    var ranks: [Int] {
      tokens.map { ["#": 1, "*": 2, "**": 3][$0] ?? 0 }
    }

    func matches(_ path: [Substring]) -> Bool {
      let isOpen = tokens.last == "**"
      if tokens == ["**"] { return true }
      guard isOpen ? path.count >= tokens.count : path.count == tokens.count else { return false }
      return zip(tokens, path)
        .allSatisfy { token, segment in
          switch token {
          case "*", "**": true
          case "#": segment.allSatisfy { "0123456789".contains($0) }
          default: token == segment
          }
        }
    }

    static func best(of routes: [Naive], for path: String) -> String? {
      let segments = path.split(separator: "/")
      return routes.filter { $0.matches(segments) }
        .min { $0.ranks.lexicographicallyPrecedes($1.ranks) }?
        .pattern
    }
  }

  private func path(_ words: [String], using random: inout SplitMix) -> String {
    (0..<Int.random(in: 0...4, using: &random))
      .map { _ in words.randomElement(using: &random) ?? "a" }
      .joined(separator: "/")
  }

  @Test func `finds the route that a search through all finds`() throws {
    var random = SplitMix(seed: 4)
    let answer = Response(
      head: ResponseHead(status: .ok, headers: [:], url: URL(filePath: "/")),
      value: Data()
    )
    for _ in 0..<300 {
      var patterns = Set<String>()
      for _ in 0..<Int.random(in: 1...12, using: &random) {
        let pattern = path(["a", "b", "7", "#", "*"], using: &random)
        let isOpen = Int.random(in: 0..<5, using: &random) == 0
        patterns.insert(isOpen ? pattern.isEmpty ? "**" : "\(pattern)/**" : pattern)
      }
      let shuffled = patterns.sorted().shuffled(using: &random)
      let router = try Router(shuffled.map { Route($0, JSONValue.self) })
      let naive = shuffled.map(Naive.init)

      for _ in 0..<30 {
        let path = path(["a", "b", "7", "42", "c"], using: &random)
        let request = try Request("https://a.org/\(path)")

        let found = try router.route(for: request, response: answer)?.pattern

        #expect(found == Naive.best(of: naive, for: path), "\(path) among \(shuffled)")
      }
    }
  }
}
