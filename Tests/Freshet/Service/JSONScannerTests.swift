import Foundation
import FreshetTesting
import TestSupport
import Testing

@testable import Freshet

@Suite struct JSONScannerTests {
  private static let text =
    #"{"a" : [1, {"b.c": "x]\"}"}, null], "\u0064ata": {"deep": [[2.5e3]]}, "n": null, "a": 9}"#

  @Test(arguments: [
    ("a.0", "1"),
    ("a.1", #"{"b.c": "x]\"}"}"#),
    (#"a.1.b\.c"#, #""x]\"}""#),
    ("a.2", "null"),
    ("data.deep.0.0", "2.5e3"),
    ("n", "null"),
  ])
  func `finds the bytes at a path, the first of keys that repeat`(path: String, json: String) throws
  {
    let data = Data(Self.text.utf8)

    let range = try #require(try JSONScanner.range(of: PayloadPath(path), in: data))

    #expect(String(decoding: data[range], as: UTF8.self) == json)
  }

  @Test func `an escaped key is another one than its canonical equivalent`() throws {
    let data = Data(#"{"e\u0301": 1, "\u00e9": 2}"#.utf8)

    let range = try #require(try JSONScanner.range(of: "\u{E9}", in: data))

    #expect(String(decoding: data[range], as: UTF8.self) == "2")
  }

  @Test(arguments: ["b", "a.3", "a.x", "a.0.b", "n.x", "data.deep.0.0.0", "a.-1"])
  func `finds nothing at a missing path`(path: String) throws {
    #expect(try JSONScanner.range(of: PayloadPath(path), in: Data(Self.text.utf8)) == nil)
  }

  @Test(arguments: [
    "", "{", #"{"a":1"#, #"{"a":1}}"#, #"{"a" 1}"#, #"{a:1}"#, "[1,]", "[1 2]", #""open"#, "nul",
    #"{"a":}"#, #""\"#, "<html>", "{\"a\":1}\u{0}", "\u{0}[]",
  ])
  func `refuses invalid JSON and names the position`(text: String) {
    #expect(throws: JSONScanner.Fault.self) {
      try JSONScanner.range(of: "a", in: Data(text.utf8))
    }
  }

  @Test func `refuses deeply nested values`() throws {
    let deep = Data((String(repeating: "[", count: 512) + String(repeating: "]", count: 512)).utf8)
    #expect(try JSONScanner.range(of: "", in: deep) != nil)

    let deeper = Data("[".utf8) + deep + Data("]".utf8)
    #expect(throws: JSONScanner.Fault.self) { try JSONScanner.range(of: "", in: deeper) }
  }

  @Test func `counts elements and works on slices`() throws {
    let slice = Data(#"xx[1, [2, 3], {}]"#.utf8).dropFirst(2)

    #expect(try JSONScanner.range(of: "1", in: slice) == 4..<10)
    #expect(try JSONScanner.elementCount(in: slice) == 3)
    #expect(try JSONScanner.elementCount(in: Data(#"{"items": []}"#.utf8)) == nil)
  }

  @Test(
    arguments: [
      ("1.5", nil, nil), ("1.5", "0", "0.a"), ("1.5", "1", nil), ("1.5", "2", "2"),
      ("true", nil, "1.1.b\\.c"), ("null", nil, "1.2"), ("7", nil, nil), ("[]", nil, nil),
    ] as [(String, String?, String?)]
  )
  func `finds the only place of a word, in all or below one step`(
    word: String,
    step: String?,
    path: String?
  ) {
    let text = #"[{"a":1.5}, [1.5, {"b.c":true}, null, 1.5, "7"], 1.5, []]"#

    let place = JSONScanner.place(of: word, below: step, in: Data(text.utf8))

    #expect(place == path.map { PayloadPath($0) })
  }

  @Test(arguments: ["1.5", "[1.5", "[1.5}"])
  func `finds the place of a whole value, and none in invalid text`(text: String) {
    let data = Data(text.utf8)

    let path = text == "1.5" ? PayloadPath() : nil
    #expect(JSONScanner.place(of: "1.5", below: nil, in: data) == path)
    #expect(JSONScanner.place(of: "1.5", below: "0", in: data) == nil)
  }

  /// The paths of all places would be copies of 1.6 GB.
  @Test(.timeLimit(.minutes(5)))
  func `searching for a number at many deep places costs as much as reading the text`() {
    let numbers = Array(repeating: "1.5", count: 200_000).joined(separator: ",")
    let (open, close) = (String(repeating: "[", count: 500), String(repeating: "]", count: 500))
    let data = Data("{\"id\":1.5,\"x\":\(open)\(numbers)\(close)}".utf8)

    var isValid = false
    var places: [PayloadPath?] = []

    let read = threadTime { isValid = JSONScanner.fault(in: data) == nil }
    let searched = threadTime {
      places = [nil, "id"].map { JSONScanner.place(of: "1.5", below: $0, in: data) }
    }

    #expect(isValid)
    #expect(places == [nil, PayloadPath("id")])
    #expect(searched < read * 5 + .milliseconds(200), "\(searched) beside \(read)")
  }

  @Test func `never crashes on invalid text`() {
    let whole = Array(Self.text.utf8)
    for length in whole.indices {
      #expect(throws: JSONScanner.Fault.self) {
        try JSONScanner.range(of: "a", in: Data(whole[..<length]))
      }
    }
    var generator = SeededGenerator(seed: 1)
    for _ in 0..<5_000 {
      var bytes = whole
      bytes[Int.random(in: bytes.indices, using: &generator)] = UInt8.random(
        in: 0...255,
        using: &generator
      )
      _ = try? JSONScanner.range(of: "a.1.b", in: Data(bytes))
      _ = Excerpt(Data(bytes)).text(at: "a.1.b")
    }
  }
}
