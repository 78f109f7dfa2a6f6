import Foundation
import Freshet
import Testing

@Suite struct CacheKeyTests {
  @Test(
    arguments: [
      ("https://a.org/x?y", "https://a.org/x?y"), ("HTTPS://A.org:443", "https://a.org/"),
      ("http://a.org:80?q#f", "http://a.org/?q"), ("http://a.org:8080/X", "http://a.org:8080/X"),
      ("https://a.org/x#f", "https://a.org/x"), ("https://[::1]/", "https://[::1]/"),
      ("https://a.org/x/../y", "https://a.org/x/../y"), ("https://a.org", "https://a.org/"),
      ("http://a.org:443/", "http://a.org:443/"), ("https://a.org:80/", "https://a.org:80/"),
      ("http://a.org:08080/x", "http://a.org:8080/x"), ("http://a.org:/x", "http://a.org/x"),
      ("https://a.org:0443/", "https://a.org/"), ("http://a.org:8080?q", "http://a.org:8080/?q"),
      ("http://127.0.0.1:8080/x:Y#f", "http://127.0.0.1:8080/x:Y"),
    ]
  )
  func `is the normal form of the URL`(text: String, key: String) throws {
    #expect(CacheKey(try Request(text)).text == key)
  }

  @Test func `is the same for GET and HEAD and for no other method`() throws {
    let get = CacheKey(try Request("https://a.org/"))

    #expect(CacheKey(try Request(.head, "https://a.org/")) == get)
    #expect(CacheKey(try Request(.post, "https://a.org/")) != get)
  }

  @Test func `keeps partitions apart`() throws {
    let request = try Request("https://a.org/")

    #expect(CacheKey(request, partition: "ann") != CacheKey(request, partition: "bob"))
    #expect(CacheKey(request, partition: "ann") != CacheKey(request))
  }

  @Test func `knows the host that the request names`() throws {
    var request = try Request("https://a.org/")
    request.headers[.host] = "b.org"

    #expect(CacheKey(request) != CacheKey(try Request("https://a.org/")))
  }

  @Test func `lives on as text`() throws {
    let key = CacheKey(try Request("https://a.org/"), partition: "ann")

    #expect(CacheKey(text: key.text) == key)
  }
}
