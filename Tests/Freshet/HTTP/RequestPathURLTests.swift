import Foundation
import Freshet
import Testing

@Suite struct RequestPathURLTests {
  @Test(
    arguments: [
      ("https://a.org", "users", "https://a.org/users"),
      ("https://a.org/", "users", "https://a.org/users"),
      ("https://a.org/v1", "users", "https://a.org/v1/users"),
      ("https://a.org/v1/", "users", "https://a.org/v1/users"),
      ("https://a.org/v1", "/users", "https://a.org/v1/users"),
      ("https://a.org/v1/", "/users", "https://a.org/v1/users"),
      ("https://a.org/v1", "users/", "https://a.org/v1/users/"),
      ("https://a.org/v1", "", "https://a.org/v1"),
      ("https://a.org/v1/", "", "https://a.org/v1/"),
      ("https://a.org", "", "https://a.org"),
      ("https://a.org/v1", "/", "https://a.org/v1/"),
      ("https://a.org/v1//", "users", "https://a.org/v1//users"),
      ("https://a.org/a%2Fb", "c%2Fd", "https://a.org/a%2Fb/c%2Fd"),
      ("https://a.org:8080/v1", "x:y", "https://a.org:8080/v1/x:y"),
      ("https://[::1]:8080", "x", "https://[::1]:8080/x"),
    ]
  )
  func `a path is appended to the base, with one slash between`(
    base: String,
    path: String,
    url: String
  ) throws {
    #expect(try RequestPath(raw: path).url(base: URL(string: base)).absoluteString == url)
  }

  @Test(
    arguments: [
      ("https://a.org/v1?key=k", "users", "https://a.org/v1/users?key=k"),
      ("https://a.org/v1?key=k", "users?page=2", "https://a.org/v1/users?key=k&page=2"),
      ("https://a.org/v1?a=%41", "?b=%42", "https://a.org/v1?a=%41&b=%42"),
      ("https://a.org/v1#old", "users#new", "https://a.org/v1/users#new"),
      ("https://a.org/v1?", "users?", "https://a.org/v1/users"),
    ]
  )
  func `queries join, and only the path's own fragment stays`(
    base: String,
    path: String,
    url: String
  ) throws {
    #expect(try RequestPath(raw: path).url(base: URL(string: base)).absoluteString == url)
  }

  @Test(
    arguments: [
      ("https://b.org/x?y=1#z", "https://b.org/x?y=1#z"), ("http://b.org", "http://b.org"),
      ("HTTPS://b.org/", "HTTPS://b.org/"),
    ]
  )
  func `uses a full URL unchanged`(path: String, url: String) throws {
    let base = URL(string: "https://a.org/v1?key=secret")

    #expect(try RequestPath(raw: path).url(base: base).absoluteString == url)
    #expect(try RequestPath(raw: path).url(base: nil).absoluteString == url)
  }

  @Test func `a combining mark after the leading slash stays`() throws {
    let url = try RequestPath(raw: "/\u{301}x").url(base: URL(string: "https://a.org/v1"))

    #expect(url.absoluteString == "https://a.org/v1/%CC%81x")
  }

  @Test func `a path from the origin replaces the base's path`() throws {
    let base = URL(string: "https://a.org:8080/v1/x?key=k")
    let id = "a/b"

    let url = try RequestPath.atOrigin("health/\(id)?deep").url(base: base)

    #expect(url.absoluteString == "https://a.org:8080/health/a%2Fb?key=k&deep")
    #expect(
      try RequestPath.atOrigin("/").url(base: base).absoluteString == "https://a.org:8080/?key=k"
    )
  }

  @Test(
    arguments: [
      "//b.org/x", "//", "ftp://b.org/x", "file:///etc/passwd", "https://user:pw@b.org/", "a\\b",
      "a%", "a%zz", "a\r\nb", "https://", "https://%62.org/",
    ]
  )
  func `refuses paths that lead elsewhere`(path: String) throws {
    let base = URL(string: "https://a.org/v1")

    let error = #expect(throws: FreshetError.self) { try RequestPath(raw: path).url(base: base) }

    #expect(error?.kind == "invalidRequest")
    #expect(error.map { !$0.description.contains("pw") } == true)
  }

  @Test func `refuses a relative path without a base, and a base that is not http`() {
    let path: RequestPath = "users"

    #expect(throws: FreshetError.self) { try path.url(base: nil) }
    #expect(throws: FreshetError.self) { try path.url(base: URL(string: "ftp://a.org/")) }
    #expect(throws: FreshetError.self) { try path.url(base: URL(string: "/v1")) }
  }

  @Test func `a value makes no full URL`() throws {
    let value = "https://evil.org/x"
    let url = try RequestPath("\(value)").url(base: URL(string: "https://a.org"))

    #expect(url.host() == "a.org")
  }
}
