import Foundation
import Testing

@testable import Freshet

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

  @Test(arguments: [
    "ann\r", "ann\n", "\r\n", "ann\nhttps://a.org/", "100%", "ann%0A", "%", "a b", "é\u{301}",
  ])
  func `any text can name a partition`(partition: String) throws {
    let request = try Request("https://a.org/")
    let key = CacheKey(request, partition: partition)

    #expect(key.partition == partition)
    #expect(CacheKey(text: key.text).partition == partition)
    #expect(key != CacheKey(request))
  }

  @Test func `no two partitions have the same keys`() throws {
    let request = try Request("https://a.org/")
    let names = ["a\nb", "a%0Ab", "a\rb", "a%0Db", "a%250Ab", "a\r\nb"]

    #expect(Set(names.map { CacheKey(request, partition: $0) }).count == names.count)
  }

  @Test func `the key of a POST keeps the chosen header fields`() throws {
    var request = Request(.post, try Request("https://a.org/").url, headers: ["X-Tenant": "1"])
    request.cacheIdentity = .url(with: ["X-Tenant"])
    var get = request
    get.method = .get

    #expect(StoragePolicy.key(for: request) == CacheKey(get))
  }

  @Test func `contains the host of the Host field`() throws {
    var request = try Request("https://a.org/")
    request.headers[.host] = "b.org"

    #expect(CacheKey(request) != CacheKey(try Request("https://a.org/")))
  }

  @Test(arguments: ["a.org", "A.org", "a.org:443"])
  func `a Host field that names the host of the URL makes no other key`(host: String) throws {
    var request = try Request("https://a.org/")
    request.headers[.host] = host

    #expect(CacheKey(request) == CacheKey(try Request("https://a.org/")))
    request.headers[.host] = "a.org:80"
    #expect(CacheKey(request) != CacheKey(try Request("https://a.org/")))
  }

  @Test func `is restored from its text`() throws {
    let key = CacheKey(try Request("https://a.org/"), partition: "ann")

    #expect(CacheKey(text: key.text) == key)
  }
}
