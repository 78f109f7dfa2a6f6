import Foundation
import Freshet
import Testing

@Suite struct JSONValueLiteralTests {
  private func decoded(_ text: String) throws -> JSONValue {
    try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
  }

  @Test func `a literal is the value that its text is decoded to`() throws {
    let name = "Ada"
    let value: JSONValue = [
      "text": "Hi \(name)", "whole": 1.0, "number": 1.5, "large": 1e300, "least": -7, "on": true,
      "none": .null, "list": [1, "a", [], [:], ["on": false]],
    ]

    let text = #"""
      {"text":"Hi Ada","whole":1.0,"number":1.5,"large":1e300,"least":-7,"on":true,"none":null,
       "list":[1,"a",[],{},{"on":false}]}
      """#
    #expect(try decoded(text) == value)
  }

  @Test func `of members with the same name, the last counts`() {
    let value: JSONValue = ["a": 1, "b": 2, "a": 3]

    #expect(value == .object(["a": .integer(3), "b": .integer(2)]))
  }

  @Test func `a value is compared with a literal, and a missing one with nil`() throws {
    let json = try decoded(#"{"users":[{"name":"Ada","age":null}]}"#)

    #expect(json["users"]?[0]?["name"] == "Ada")
    #expect(json["users"]?[0]?["age"] == .null)
    #expect(json["users"]?[0]?["age"] != nil)
    #expect(json["users"]?[1] == nil)
    #expect(json == ["users": [["name": "Ada", "age": .null]]])
  }

  @Test func `is a body, and a value in one`() throws {
    let address: JSONValue = ["street": "Main", "number": 7]

    let whole = try RequestBody.json(["name": "Ada", "floor": .null] as JSONValue)
    let outer = try RequestBody.json(["name": "Ada", "address": address])
    let list = try RequestBody.json(["name": "Ada", "tags": ["a", 1, .null] as JSONValue])

    #expect(whole.bytes == Data(#"{"floor":null,"name":"Ada"}"#.utf8))
    let text = #"{"address":{"number":7,"street":"Main"},"name":"Ada"}"#
    #expect(outer.bytes == Data(text.utf8))
    #expect(list.bytes == Data(#"{"name":"Ada","tags":["a",1,null]}"#.utf8))
  }
}
