import Foundation
import Freshet
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

  @Test func `what follows a name in its segment is literal`() throws {
    #expect(try PathPattern("a/:id.json").path(["id": 7]).text == "a/7.json")
    #expect(try PathPattern("a/:id:open").path(["id": 7]).text == "a/7:open")
    #expect(try PathPattern("a/:idé").path(["id": 7]).text == "a/7é")
  }

  @Test(arguments: ["a/:", "a/:/b", "a/:1", "a/:-x", "a?b=:c", "a#:b", ":é", ":id/x/:id"])
  func `refuses a pattern that is not clear`(pattern: String) throws {
    let error = try #require(throws: FreshetError.self) { try PathPattern(pattern) }

    #expect(error.kind == "invalidRequest")
    #expect(error.description.contains("“\(pattern)”"))
  }

  @Test func `names what is missing, surplus or given twice`() throws {
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

  @Test func `fields that the path takes go nowhere else`() throws {
    let (path, rest) = try PathPattern("users/:id").split(Search(id: 7))
    let request = try Request(.get, path.url(base: Self.base)).adding(query: rest)

    #expect(request.url.absoluteString == "https://a.org/users/7?text=a%20b&nested%5Bk%5D=1")
    #expect(rest.names == ["text", "page", "nested"])
  }

  @Test func `takes values from fields, and refuses what does not fit`() throws {
    struct File: Encodable { var id: Int?, name: String? }
    let files = try PathPattern("users/:id/files/:name")

    #expect(try files.path(from: File(id: 7, name: "a/b")).text == "users/7/files/a%2Fb")
    #expect(throws: FreshetError.self) { try files.path(from: File(id: 7)) }
    #expect(throws: FreshetError.self) { try files.path(from: ["id": "7", "name": "x", "z": "1"]) }
    #expect(throws: FreshetError.self) { try PathPattern(":nested").split(Search()) }
    #expect(throws: FreshetError.self) { try PathPattern(":id").split(Search()) }
    #expect(try PathPattern(":id").path(from: File(id: 7)).text == "7")
  }
}
