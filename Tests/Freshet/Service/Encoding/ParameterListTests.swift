import Foundation
import Freshet
import Testing

@Suite struct ParameterListTests {
  struct Value: Encodable { var a = 1, b: String?, c = ["x": 1] }

  @Test func `keeps the fields in their order, nil among them`() throws {
    let list = try ParameterList(Value())

    #expect(list.names == ["a", "b", "c"])
    #expect(!list.isEmpty)
    #expect(try ParameterList(list) == list)
  }

  @Test func `has no fields for a value without any`() throws {
    struct None: Encodable {}

    #expect(try ParameterList(None()).isEmpty)
    #expect(try ParameterList([String: Int]()).isEmpty)
    #expect(try ParameterList([Int]()).isEmpty)
  }

  @Test func `equal values make equal lists`() throws {
    let left = Dictionary(uniqueKeysWithValues: (0..<100).map { ("k\($0)", Set([$0, 1, 2])) })
    let right = Dictionary(
      uniqueKeysWithValues: (0..<100).reversed().map { ("k\($0)", Set([2, 1, $0])) }
    )

    #expect(try ParameterList(left) == ParameterList(right))
  }
}
