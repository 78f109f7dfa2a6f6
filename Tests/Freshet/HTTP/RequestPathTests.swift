import Foundation
import Freshet
import Testing

@Suite struct RequestPathTests {
  static let base = URL(string: "https://a.org/v1")

  private func url(_ path: RequestPath, _ base: URL? = base) throws -> String {
    try path.url(base: base).absoluteString
  }

  @Test(
    arguments: [
      ("a/b", "a%2Fb"), ("a?b", "a%3Fb"), ("a#b", "a%23b"), ("100%", "100%25"), ("%2F", "%252F"),
      ("a b", "a%20b"), ("a+b", "a%2Bb"), ("é", "%C3%A9"), ("e\u{301}", "e%CC%81"),
      ("…", "%E2%80%A6"),
      ("a:b@c", "a%3Ab%40c"), ("..a", "..a"), ("-._~", "-._~"), ("a\\b", "a%5Cb"),
      ("a\r\nX: y", "a%0D%0AX%3A%20y"), ("\0", "%00"), ("https://b.org", "https%3A%2F%2Fb.org"),
    ]
  )
  func `a value is one segment for any content`(value: String, segment: String) throws {
    #expect(try url("users/\(value)/files") == "https://a.org/v1/users/\(segment)/files")
  }

  @Test(arguments: ["", ".", ".."])
  func `refuses a value that would disappear or climb`(value: String) throws {
    let paths: [RequestPath] = ["users/\(value)", "\(value)/x", "a/\(value)/b", "a/\(value)?q=1"]

    for path in paths {
      let error = #expect(throws: FreshetError.self) { try path.url(base: Self.base) }
      #expect(error?.kind == "invalidRequest")
    }
  }

  @Test func `takes segments whose number is not known before`() throws {
    let names = ["@scope", "pkg", "-", "a b/c.tgz"]

    let text = "https://a.org/v1/npm/%40scope/pkg/-/a%20b%2Fc.tgz?x=1"
    #expect(try url("npm/\(segments: names)?x=1") == text)
    #expect(try url("\(segments: "a/b".split(separator: "/"))/c") == "https://a.org/v1/a/b/c")
    #expect(try url("v\(segments: ["1"]).json") == "https://a.org/v1/v1.json")
  }

  @Test(
    arguments: [[], [""], ["a", ""], ["", "a"], ["a", "..", "b"], [".", "a"], ["a", "", "b"]]
  )
  func `refuses segments that would disappear or climb`(names: [String]) {
    let paths: [RequestPath] = ["x/\(segments: names)", "\(segments: names)/x"]

    for path in paths {
      #expect(throws: FreshetError.self) { try path.url(base: Self.base) }
    }
  }

  @Test func `refuses values that climb together, or with a literal`() {
    let (dot, empty) = (".", "")
    let paths: [RequestPath] = [
      "a/\(dot)\(dot)/b", "a/.\(dot)", "a/%2e\(dot)", "a/%2E%2e", "../a", "a/./b", "a/..",
      "a/\(raw: "..")/b", "\(empty)\(empty)/x", "a/\(RequestPath(raw: ".."))",
    ]

    for path in paths {
      #expect(throws: FreshetError.self) { try path.url(base: Self.base) }
    }
  }

  @Test func `a segment with other text can have an empty value`() throws {
    let (empty, dot) = ("", ".")

    #expect(try url("a/x\(empty)") == "https://a.org/v1/a/x")
    #expect(try url("a/\(dot)json") == "https://a.org/v1/a/.json")
  }

  @Test func `refuses a literal percent sign that a value would complete`() {
    let digits = "2F"
    let paths: [RequestPath] = ["a%\(digits)", "a%2\(digits)", "100%\(digits)"]

    for path in paths {
      #expect(throws: FreshetError.self) { try path.url(base: Self.base) }
    }
  }

  @Test func `a value in the query is one piece of it`() throws {
    let term = "a&b=c d#e"

    #expect(
      try url("search?q=\(term)&n=\(2)") == "https://a.org/v1/search?q=a%26b%3Dc%20d%23e&n=2"
    )
    #expect(try url("search?q=\("")&d=\("..")") == "https://a.org/v1/search?q=&d=..")
  }

  @Test(
    arguments: [
      ("a%2Fb", "a%2Fb"), ("a b", "a%20b"), ("é", "%C3%A9"), ("a//b", "a//b"), ("a/", "a/"),
      ("a;v=1,2", "a;v=1,2"), ("users/7:activate", "users/7:activate"), ("a?b=%41", "a?b=%41"),
    ]
  )
  func `a literal stays as it is written`(literal: String, text: String) throws {
    #expect(try url(RequestPath(stringLiteral: literal)) == "https://a.org/v1/\(text)")
    #expect(try url(RequestPath(raw: literal)) == "https://a.org/v1/\(text)")
    #expect(try url("\(raw: literal)") == "https://a.org/v1/\(text)")
  }

  @Test func `takes numbers, Booleans, identifiers, raw values and paths`() throws {
    enum Kind: String { case bigOne = "big/one" }
    let id = UUID()
    let inner: RequestPath = "x/\("a/b")"

    #expect(try url("\(7)/\(-1.5)/\(true)") == "https://a.org/v1/7/-1.5/true")
    #expect(try url("\(id)/\(Kind.bigOne)") == "https://a.org/v1/\(id.uuidString)/big%2Fone")
    #expect(try url("\(inner)/y") == "https://a.org/v1/x/a%2Fb/y")
    #expect(try url("\("é".prefix(1))") == "https://a.org/v1/%C3%A9")
  }

  @Test func `its description shows no query`() {
    let path: RequestPath = "a/\("b c")?key=\("secret")\u{301}"

    #expect(path.description == "a/b%20c")
    #expect(path.text.utf8.starts(with: "a/b%20c?key=secret".utf8))
  }

  @Test func `a segment decodes to its value, for any Unicode`() throws {
    var random = SplitMix(seed: 1)
    for _ in 0..<2_000 {
      let value = random.text(1...12)
      guard ![".", ".."].contains(value) else { continue }

      let url = try RequestPath("a/\(value)/b?c=\(value)").url(base: Self.base)

      let text = url.absoluteString
      let parts = text.split(separator: "?", omittingEmptySubsequences: false)
      let segments = parts[0].split(separator: "/", omittingEmptySubsequences: false)
      #expect(parts.count == 2 && segments.count == 7)
      #expect(isSame(percentDecoded(segments[5]), value))
      #expect(isSame(percentDecoded(parts[1].dropFirst(2)), value))
    }
  }
}
