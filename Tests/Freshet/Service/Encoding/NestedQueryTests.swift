import Foundation
import Freshet
import Testing

/// What is encoded within fields and lists is found again by who takes the names apart.
@Suite struct NestedQueryTests {
  /// Any parameters: texts, fields and elements.
  private indirect enum Tree: Encodable {
    case text(String)
    case fields([(name: String, value: Tree)])
    case elements([Tree])

    private struct Key: CodingKey {
      let stringValue: String
      var intValue: Int? { nil }
      init(_ text: String) { stringValue = text }
      init?(stringValue: String) { self.init(stringValue) }
      init?(intValue: Int) { nil }
    }

    func encode(to encoder: any Encoder) throws {
      switch self {
      case .text(let text):
        var container = encoder.singleValueContainer()
        try container.encode(text)
      case .fields(let fields):
        var container = encoder.container(keyedBy: Key.self)
        for field in fields { try container.encode(field.value, forKey: Key(field.name)) }
      case .elements(let elements):
        var container = encoder.unkeyedContainer()
        for element in elements { try container.encode(element) }
      }
    }

    /// Each text with the names and positions that lead to it; a position is empty where `arrays`
    /// gives elements none, and left out where it gives them no name.
    func leaves(
      _ arrays: QueryEncoding.Arrays,
      _ path: [String] = []
    ) -> [(path: [String], text: String)] {
      switch self {
      case .text(let text):
        [(path, text)]
      case .fields(let fields):
        fields.flatMap { $0.value.leaves(arrays, path + [$0.name]) }
      case .elements(let elements):
        elements.enumerated()
          .flatMap { position, element in
            switch arrays {
            case .indexed: element.leaves(arrays, path + ["\(position)"])
            case .brackets: element.leaves(arrays, path + [""])
            case .repeated, .commas: element.leaves(arrays, path)
            }
          }
      }
    }
  }

  private func tree(_ random: inout SplitMix, depth: Int) -> Tree {
    let count = Int.random(in: 0...3, using: &random)
    switch depth == 0 ? 0 : Int.random(in: 0..<3, using: &random) {
    case 0: return .text(random.text())
    case 1: return fields(&random, depth: depth)
    default: return .elements((0..<count).map { _ in tree(&random, depth: depth - 1) })
    }
  }

  private func fields(_ random: inout SplitMix, depth: Int) -> Tree {
    var names: Set<[UInt8]> = []
    return .fields(
      (0..<3)
        .compactMap { _ in
          // What takes names apart cannot stand within them.
          let name = random.text().filter { !"[].".contains($0) } + "n"
          let isNew = names.insert(Array(name.utf8)).inserted
          return isNew && !name.utf8.contains { "[].".utf8.contains($0) }
            ? (name, tree(&random, depth: depth - 1)) : nil
        }
    )
  }

  /// The names that a name is made of; at bytes, for a bracket may be one character with what follows.
  private func path(_ name: String, _ nesting: QueryEncoding.Nesting) -> [String] {
    let parts = name.utf8.split(separator: UInt8(ascii: "["), omittingEmptySubsequences: false)
      .enumerated().map { $0 == 0 ? $1 : $1.dropLast() }
    let first = parts[0].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return ((nesting == .dots ? first : [parts[0]]) + parts.dropFirst()).map { String($0) ?? "" }
  }

  @Test(arguments: [
    (QueryEncoding.Nesting.brackets, QueryEncoding.Arrays.indexed), (.brackets, .brackets),
    (.brackets, .repeated), (.dots, .repeated),
  ])
  func `a query and a form decode to their input, at any depth`(
    nesting: QueryEncoding.Nesting,
    arrays: QueryEncoding.Arrays
  ) throws {
    var random = SplitMix(seed: 5)
    let encoding = QueryEncoding {
      $0.nesting = nesting
      $0.arrays = arrays
    }
    for _ in 0..<300 {
      let tree = fields(&random, depth: 3)
      let query = try encoding.encode(tree)
      let form = try #require(
        String(data: bytes(of: .form(tree, encoding: encoding)), encoding: .utf8)
      )
      let expected = tree.leaves(arrays)

      for (text, isForm) in [(query, false), (form, true)] {
        let pairs = text.isEmpty ? [] : text.split(separator: "&", omittingEmptySubsequences: false)
        try #require(pairs.count == expected.count)
        for (pair, leaf) in zip(pairs, expected) {
          let parts = pair.split(separator: "=", omittingEmptySubsequences: false)
            .compactMap { percentDecoded($0, plusIsSpace: isForm) }
          try #require(parts.count == 2)
          #expect(isSame(parts[1], leaf.text))
          #expect(
            isSame(path(parts[0], nesting).joined(separator: "."), leaf.path.joined(separator: "."))
          )
        }
      }
    }
  }

  @Test func `a dictionary with other keys is keys and values in turn, in one order`() throws {
    enum Size: String, Codable { case small, large, medium }
    struct Order: Encodable { var counts: [Size: Int] }
    let order = Order(counts: [.small: 1, .large: 2, .medium: 3])

    let query = try QueryEncoding { $0.arrays = .commas }.encode(order)

    #expect(query == "counts=large,2,medium,3,small,1")
  }
}
