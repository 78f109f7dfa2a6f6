import Testing

@testable import FreshetModels

@Suite struct ModelEncoderTests {
  private struct Nested: Encodable {
    private enum Key: CodingKey {
      case list
      case map
    }

    /// The paths of the innermost containers.
    let paths: (([String]) -> Void)

    func encode(to encoder: any Encoder) throws {
      var map = encoder.container(keyedBy: Key.self)
      var list = map.nestedUnkeyedContainer(forKey: .list)
      try list.encode(1)
      let inner = list.nestedContainer(keyedBy: Key.self)
      paths(inner.codingPath.map(\.stringValue))
      var innerMap = map.nestedContainer(keyedBy: Key.self, forKey: .map)
      let other = innerMap.superEncoder(forKey: .list)
      paths(other.codingPath.map(\.stringValue))
    }
  }

  @Test func `nested containers are released with their encoder, and know their paths`() throws {
    weak var released: ModelEncoder?
    var paths: [[String]] = []
    do {
      let encoder = ModelEncoder(EncodingContext(isSelfContained: true))
      released = encoder
      try Nested { paths.append($0) }.encode(to: encoder)
    }

    #expect(released == nil)
    #expect(paths == [["list", "1"], ["map", "list"]])
  }
}
