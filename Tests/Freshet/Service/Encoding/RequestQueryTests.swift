import Foundation
import Freshet
import Testing

@Suite struct RequestQueryTests {
  @Test(
    arguments: [
      ("https://a.org/x", "https://a.org/x?b=1%202"),
      ("https://a.org/x?", "https://a.org/x?b=1%202"),
      ("https://a.org/x?a=%41%20b", "https://a.org/x?a=%41%20b&b=1%202"),
      ("https://a.org/x?a&", "https://a.org/x?a&b=1%202"),
      ("https://a.org/x?b=0#f?g", "https://a.org/x?b=0&b=1%202#f?g"),
      ("https://a.org/x#f", "https://a.org/x?b=1%202#f"),
      ("https://a.org", "https://a.org?b=1%202"),
    ]
  )
  func `is added to what is there, and encodes nothing twice`(url: String, result: String) throws {
    let request = try Request(url).adding(query: ["b": "1 2"])

    #expect(request.url.absoluteString == result)
  }

  @Test func `nothing to send changes nothing`() throws {
    struct None: Encodable { var a: Int? }

    #expect(
      try Request("https://a.org/?").adding(query: None()).url.absoluteString == "https://a.org/?"
    )
  }

  @Test(arguments: [HTTPMethod.get, .head, .delete, .options])
  func `parameters go into the query of a method without a body`(method: HTTPMethod) throws {
    let request = try Request(method, "https://a.org/").with(parameters: ["a": 1])

    #expect(request.url.query() == "a=1")
    #expect(request.body == nil)
  }

  @Test(arguments: [HTTPMethod.post, .put, .patch, HTTPMethod("PROPFIND")])
  func `parameters go into a JSON body of any other method`(method: HTTPMethod) throws {
    let request = try Request(method, "https://a.org/").with(parameters: ["a": 1])

    #expect(request.url.query() == nil)
    #expect(request.body.map { bytes(of: $0) } == Data("{\"a\":1}".utf8))
  }

  @Test func `parameters go where they are told`() throws {
    let get = try Request("https://a.org/")
    let post = try Request(.post, "https://a.org/")

    #expect(try post.with(parameters: ["a": 1], in: .query()).url.query() == "a=1")
    #expect(try get.with(parameters: ["a": 1], in: .json).body?.contentType == .json)
    #expect(try post.with(parameters: ["a": 1], in: .form()).body?.contentType == .form)
    #expect(
      try post.with(parameters: ["a": 1], in: .propertyList).body?.contentType == .propertyList
    )
  }
}
