import Freshet
import Testing

@Suite struct HTTPHeadersTests {
  @Test func `keeps repeated fields apart and in order`() {
    var headers: HTTPHeaders = ["X-Tag": "a", "Date": "now", "x-tag": "b"]
    headers.add("c", for: "X-TAG")

    #expect(headers[values: "x-Tag"] == ["a", "b", "c"])
    #expect(headers.map(\.name.rawValue) == ["X-Tag", "Date", "x-tag", "X-TAG"])
    #expect(headers["X-TAG"] == "a")
    #expect(headers.combined("X-Tag") == "a, b, c")
  }

  @Test func `has nothing for a field that is absent`() {
    let headers: HTTPHeaders = [.eTag: ""]

    #expect(headers[.date] == nil)
    #expect(headers.combined(.date) == nil)
    #expect(headers[values: .date] == [])
    #expect(!headers.contains(.date))
    #expect(headers.combined(.eTag)?.isEmpty == true)
  }

  @Test func `values of other bytes are other values`() {
    let headers: HTTPHeaders = ["X-Tag": "\u{E9}"]

    #expect(headers != ["X-Tag": "e\u{301}"])
    #expect(headers == ["x-tag": "\u{E9}"])
  }

  @Test func `setting replaces all lines in the place of the first`() {
    var headers: HTTPHeaders = ["A": "1", "B": "2", "a": "3", "C": "4", "A": "5"]
    headers["a"] = "6"

    #expect(Array(headers) == Array(["a": "6", "B": "2", "C": "4"] as HTTPHeaders))
  }

  @Test func `setting an absent field appends it, and setting nil removes`() {
    var headers: HTTPHeaders = ["A": "1", "B": "2", "a": "3"]
    headers["C"] = "4"
    headers["A"] = nil
    headers["D"] = nil

    #expect(Array(headers) == Array(["B": "2", "C": "4"] as HTTPHeaders))
  }

  @Test func `merging sets each field of the other`() {
    let headers: HTTPHeaders = ["A": "1", "B": "2", "a": "3"]
    let merged = headers.merging(["a": "4", "C": "5", "A": "6"])

    #expect(Array(merged) == Array(["B": "2", "a": "4", "C": "5", "A": "6"] as HTTPHeaders))
  }

  @Test(arguments: [("Date", "dATE"), ("X-1_~", "x-1_~")])
  func `names are equal in any case`(left: String, right: String) {
    #expect(HTTPHeaders.Name(left) == HTTPHeaders.Name(right))
    #expect(HTTPHeaders.Name(left).hashValue == HTTPHeaders.Name(right).hashValue)
  }

  @Test(arguments: [("Date", "Dates"), ("a@", "a`"), ("[", "{"), ("É", "é"), ("K", "\u{212A}")])
  func `only ASCII letters have a case`(left: String, right: String) {
    #expect(HTTPHeaders.Name(left) != HTTPHeaders.Name(right))
  }

  @Test func `removes spaces and tabs around values and nothing else`() {
    let headers: HTTPHeaders = ["A": " \t a b\t ", "B": "\n", "C": "   "]

    #expect(headers["A"] == "a b")
    #expect(headers["B"] == "\n")
    #expect(headers["C"]?.isEmpty == true)
  }

  @Test func `splits lists at commas outside of quoted strings`() {
    let headers: HTTPHeaders = ["L": "a, ,\"b, \\\"c\" ,", "L": "", "l": "d=\"e,f\", g"]

    #expect(headers.members(of: "L") == ["a", "\"b, \\\"c\"", "d=\"e,f\"", "g"])
  }

  @Test func `an open quotation mark hides no members`() {
    let headers: HTTPHeaders = ["L": "a=\"b, c, d"]

    #expect(headers.members(of: "L") == ["a=\"b", "c", "d"])
  }

  @Test func `its description shows no secrets`() {
    let headers: HTTPHeaders = [
      .authorization: "Bearer abc", .setCookie: "id=abc", "X-Api-Key": "abc", .accept: "*/*",
    ]

    #expect(!headers.description.contains("abc"))
    #expect(headers.description.contains("Accept: */*"))
  }
}
