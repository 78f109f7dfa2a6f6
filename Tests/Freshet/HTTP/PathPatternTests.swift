import Foundation
import Freshet
import FreshetTesting
import Testing

@Suite struct PathPatternTests {
  static let base = URL(string: "https://a.org")

  @Test func `puts each value into its segment`() throws {
    let pattern = try PathPattern("users/:id/files/:name")

    let path = try pattern.path(["name": "a/b ü", "id": 7])

    #expect(pattern.names == ["id", "name"])
    #expect(path.text == "users/7/files/a%2Fb%20%C3%BC")
  }

  @Test(
    arguments: [
      (":id.json", ["id"]), ("a/:_x9:activate", ["_x9"]), ("x?".dropLast() + "/t=12:30", []),
      ("https://b.org:8080/:id", ["id"]), ("a/%3Aid", []), ("", []), ("/:a/:b/", ["a", "b"]),
    ]
  )
  func `a parameter begins its segment`(pattern: String, names: [String]) throws {
    #expect(try PathPattern(pattern).names == names)
  }

  @Test func `the text after a name in its segment is literal`() throws {
    #expect(try PathPattern("a/:id.json").path(["id": 7]).text == "a/7.json")
    #expect(try PathPattern("a/:id:open").path(["id": 7]).text == "a/7:open")
    #expect(try PathPattern("a/:idé").path(["id": 7]).text == "a/7é")
  }

  @Test(arguments: ["a/:", "a/:/b", "a/:1", "a/:-x", "a?b=:c", "a#:b", ":é", ":id/x/:id"])
  func `refuses an unclear pattern`(pattern: String) throws {
    let error = try #require(throws: FreshetError.self) { try PathPattern(pattern) }

    #expect(error.kind == "invalidRequest")
    #expect(error.description.contains("“\(pattern)”"))
  }

  @Test func `names missing, surplus and repeated parameters`() throws {
    let pattern = try PathPattern("a/:id/:name")
    let reason = { (error: FreshetError?) in error?.description ?? "" }

    let missing = #expect(throws: FreshetError.self) { try pattern.path(["id": 1]) }
    let surplus = #expect(throws: FreshetError.self) {
      try pattern.path(["id": 1, "name": "x", "nmae": "x"])
    }
    let twice = #expect(throws: FreshetError.self) {
      try pattern.path(["id": 1, "name": "x", "id": 2])
    }

    #expect(reason(missing).contains("no value for “name”"))
    #expect(reason(surplus).contains("no parameter “nmae”"))
    #expect(reason(twice).contains("“id” twice"))
  }

  @Test(arguments: ["", ".", ".."])
  func `refuses values that a path refuses`(value: String) throws {
    let path = try PathPattern("a/:id/b").path(["id": value])

    #expect(throws: FreshetError.self) { try path.url(base: Self.base) }
  }

  @Test func `a value is not read as a pattern again`() throws {
    #expect(try PathPattern(":a/:b").path(["a": ":b", "b": "x"]).text == "%3Ab/x")
  }

  struct Search: Encodable {
    var id: Int?
    var text = "a b"
    var page: Int?
    var nested = ["k": 1]
  }

  @Test func `fields in the path are sent nowhere else`() throws {
    let (path, rest) = try PathPattern("users/:id").split(Search(id: 7))
    let request = try Request(.get, path.url(base: Self.base)).adding(query: rest)

    #expect(request.url.absoluteString == "https://a.org/users/7?text=a%20b&nested%5Bk%5D=1")
    #expect(rest.names == ["text", "page", "nested"])
  }

  @Test func `takes values from fields, and refuses unsuitable ones`() throws {
    struct File: Encodable { var id: Int?, name: String? }
    let files = try PathPattern("users/:id/files/:name")

    #expect(try files.path(from: File(id: 7, name: "a/b")).text == "users/7/files/a%2Fb")
    #expect(throws: FreshetError.self) { try files.path(from: File(id: 7)) }
    #expect(throws: FreshetError.self) { try files.path(from: ["id": "7", "name": "x", "z": "1"]) }
    #expect(throws: FreshetError.self) { try PathPattern(":nested").split(Search()) }
    #expect(throws: FreshetError.self) { try PathPattern(":id").split(Search()) }
    #expect(try PathPattern(":id").path(from: File(id: 7)).text == "7")
  }

  @Test(
    arguments: [
      ("users/:id", "https://a.org/users/7", ["id": "7"]),
      ("/users/:id/", "https://b.org/users/7?id=8#9", ["id": "7"]),
      ("users/:id", "https://a.org/users/7/", ["id": "7"]),
      (
        "users/:id/files/:name", "https://a.org/users/7/files/a%2Fb%20%C3%BC",
        ["id": "7", "name": "a/b ü"]
      ),
      (":id.json", "https://a.org/a.json.json", ["id": "a.json"]),
      ("a/:id:open", "https://a.org/a/7%3Aopen", ["id": "7"]),
      ("caf%C3%A9/:x", "https://a.org/café/1", ["x": "1"]),
      ("", "https://a.org/", [:]), ("users", "https://a.org/users", [:]),
      ("http://b.org:80/:x", "http://B.org/1", ["x": "1"]),
    ]
  )
  func `reads the parameters of a URL`(
    pattern: String,
    url: String,
    values: [String: String]
  ) throws {
    let url = try #require(URL(string: url))

    #expect(try PathPattern(pattern).values(in: url) == values)
  }

  @Test(
    arguments: [
      ("users/:id", "https://a.org/users"), ("users/:id", "https://a.org/users/7/8"),
      ("users/:id", "https://a.org/Users/7"), ("users/:id", "https://a.org/users//"),
      ("users/:id", "https://a.org/v1/users/7"), (":id.json", "https://a.org/.json"),
      (":id.json", "https://a.org/7.xml"), (":a/:b", "https://a.org/x%2Fy"),
      (":a", "https://a.org/%FF"), ("", "https://a.org/x"),
      ("http://b.org/:x", "https://b.org/1"), ("http://b.org/:x", "http://c.org/1"),
      ("http://b.org:81/:x", "http://b.org/1"),
    ]
  )
  func `reads nothing from a URL that does not match`(
    pattern: String,
    url: String
  ) throws {
    let url = try #require(URL(string: url))

    #expect(try PathPattern(pattern).values(in: url) == nil)
  }

  @Test(
    arguments: [
      ("https://a.org/v1", "https://a.org/v1/users/7", true),
      ("https://a.org/v1/", "https://a.org:443/v1/users/7", true),
      ("https://a.org/v1", "https://a.org/v10/users/7", false),
      ("https://a.org/v1", "https://a.org/users/7", false),
      ("https://a.org/v1", "https://b.org/v1/users/7", false),
      ("https://a.org/v1", "http://a.org/v1/users/7", false),
    ]
  )
  func `reads only URLs below a base URL`(base: String, url: String, fits: Bool) throws {
    let base = try #require(URL(string: base))
    let url = try #require(URL(string: url))

    #expect(try PathPattern("users/:id").values(in: url, base: base) == (fits ? ["id": "7"] : nil))
  }

  @Test func `a full URL with letters beyond ASCII in its host reads URLs that it makes`() throws {
    let pattern = try PathPattern("https://exämple.org/users/:id")

    let url = try pattern.path(["id": 7]).url(base: nil)

    #expect(url.absoluteString == "https://xn--exmple-cua.org/users/7")
    #expect(pattern.values(in: url) == ["id": "7"])
  }

  @Test func `reads back its own output`() throws {
    var generator = SeededGenerator(seed: 1)
    let base = try #require(URL(string: "https://a.org/v1/x"))
    let pattern = try PathPattern("a/:p/:q.json/:r")
    let alphabet = Array("aZ09-._~/?#%&+=: ü€\u{1F600}\\\"")

    for _ in 0..<500 {
      var values: [String: String] = [:]
      for name in pattern.names {
        let count = Int.random(in: 1...4, using: &generator)
        values[name] =
          "x" + String((0..<count).compactMap { _ in alphabet.randomElement(using: &generator) })
      }
      let url = try pattern.path(from: values).url(base: base)

      #expect(pattern.values(in: url, base: base) == values)
    }
  }
}
