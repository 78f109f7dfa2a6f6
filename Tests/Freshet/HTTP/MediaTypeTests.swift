import Freshet
import Testing

@Suite struct MediaTypeTests {
  @Test(
    arguments: [
      ("text/html", "text/html"),
      ("Text/HTML;Charset=utf-8", "text/html; charset=utf-8"),
      ("text/html ; charset=\"UTF-8\" ;; q=1;", "text/html; charset=UTF-8; q=1"),
      ("a/b; x=\"a \\\"b\\\" \\\\;,\"", "a/b; x=\"a \\\"b\\\" \\\\;,\""),
      ("multipart/form-data; boundary=\"a/b\"", "multipart/form-data; boundary=\"a/b\""),
      ("a/b; x=\"\"", "a/b; x=\"\""),
    ]
  )
  func `reads and writes`(text: String, written: String) throws {
    let type = try #require(MediaType(text))

    #expect(type.description == written)
    #expect(MediaType(written) == type)
  }

  @Test(
    arguments: [
      "", "text", "text/", "/html", "text /html", "text/html/x", "a/b; x", "a/b; x=", "a/b; =x",
      "a/b; x = y", "a/b; x=\"y", "a/b; x=\"y\"z", "a/b; x y=z", "a/b, c/d", "a/b; x=y z",
    ]
  )
  func `refuses types outside of the grammar`(text: String) {
    #expect(MediaType(text) == nil)
  }

  @Test(
    arguments: [
      ("*/*", true), ("text/*", true), ("text/html", true), ("TEXT/HTML", true),
      ("text/html; q=0.5", true), ("text/html; Charset=UTF-8", true),
      ("text/html; charset=latin1", false), ("text/html; level=1", false), ("text/plain", false),
      ("image/*", false), ("*/html", false), ("nonsense", false),
    ]
  )
  func `matches ranges`(range: String, isMatch: Bool) throws {
    let type = try #require(MediaType("text/html; charset=utf-8"))

    #expect(type.matches(range) == isMatch)
  }

  @Test(
    arguments: [
      ("application/json", true), ("application/problem+json", true), ("text/json", true),
      ("application/jsonp", false), ("text/html", false),
    ]
  )
  func `recognizes JSON`(text: String, isJSON: Bool) {
    #expect(MediaType(text)?.isJSON == isJSON)
  }

  @Test func `finds parameters in any case`() {
    #expect(MediaType("a/b; Charset=x; charset=y")?["CHARSET"] == "x")
    #expect(MediaType.json["charset"] == nil)
  }
}
