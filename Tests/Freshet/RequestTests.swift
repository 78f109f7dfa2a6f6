import Foundation
import Freshet
import Testing

@Suite struct RequestTests {
  @Test(
    arguments: [
      ("https://a.org/a%20b?c=%41#d", "https://a.org/a%20b?c=%41#d"),
      ("https://a.org/a b", "https://a.org/a%20b"),
      ("https://a.org/a%20b c", "https://a.org/a%20b%20c"),
      ("https://a.org/?a=%41 b&c=ü", "https://a.org/?a=%41%20b&c=%C3%BC"),
      ("https://exämple.org/a%20b ü", "https://xn--exmple-cua.org/a%20b%20%C3%BC"),
      ("https://a.org/{id}|^`<>\"[x]", "https://a.org/%7Bid%7D%7C%5E%60%3C%3E%22%5Bx%5D"),
      ("https://a.org/a%2Fb", "https://a.org/a%2Fb"),
      ("https://a.org/?a?b#c#d?e", "https://a.org/?a?b#c%23d?e"),
      ("https://[::1]:8080/x", "https://[::1]:8080/x"),
      ("HTTPS://A.org", "HTTPS://A.org"),
    ]
  )
  func `encodes unambiguous text, and nothing twice`(
    text: String,
    url: String
  ) throws {
    #expect(try Request(text).url.absoluteString == url)
  }

  @Test(
    arguments: [
      "", "a.org", "/path", "//a.org/", "https://", "https:///x", "http:a.org", "ftp://a.org/",
      "file:///etc/passwd", "javascript:alert(1)", "data:text/plain,x",
      " https://a.org/", "https://a.org/ ", "https://a.org/\n", "https://a.org/\t",
      "https://a.org/\r\nX: y", "https://a.org/\u{0}", "https://a.org/\u{7F}",
      "https://a.org\\@b.org/", "https://a.org/100%", "https://a.org/%zz", "https://a.org/%4",
      "https://a b.org/", "https://a.org:99999/", "https://a.org:0/", "https://a.org:x/",
      "https://[::1/", "https://a%2eorg/", "https://user@a.org/", "https://user:pw@a.org/",
    ]
  )
  func `refuses text that is not clearly one http or https URL`(text: String) throws {
    let error = #expect(throws: FreshetError.self) { try Request(text) }

    #expect(error?.kind == "invalidRequest")
  }

  @Test func `explains where credentials belong`() throws {
    let error = try #require(throws: FreshetError.self) {
      try Request("https://user:s3cret@a.org/x?token=s3cret")
    }

    #expect(error.description.contains("put credentials into the Authorization header"))
    #expect(error.description.contains("https://a.org/x"))
    #expect(!error.description.contains("s3cret"))
    #expect(!error.description.contains("user:"))
  }

  @Test(
    arguments: [
      "https://user:s3cret/x@a.org/", "https://user:s3cret?x@a.org/", "user:s3cret@a.org",
      "https:user:s3cret@a.org", "https:\\\\user:s3cret@a.org", "s3cret@//a.org",
      "https://user:s3cret@a b.org/",
    ]
  )
  func `shows no password of an invalid URL`(text: String) throws {
    let error = try #require(throws: FreshetError.self) { try Request(text) }

    #expect(!error.description.contains("s3cret"))
  }
}
