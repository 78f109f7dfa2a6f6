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
  func `is appended to the existing query, and encodes nothing twice`(
    url: String,
    result: String
  ) throws {
    let request = try Request(url).adding(query: ["b": "1 2"])

    #expect(request.url.absoluteString == result)
  }

  @Test func `pairs that are known at run time keep their order and their repetitions`() throws {
    let chosen = [(name: "z", values: [1, 2]), (name: "a", values: [3]), (name: "z", values: [4])]

    let filters = ParameterList(chosen.map { ($0.name, $0.values) } + [("q", "x y")])

    #expect(filters.names == ["z", "a", "z", "q"])
    let request = try Request("https://a.org/x").adding(query: filters)
    #expect(request.url.query() == "z=1&z=2&a=3&z=4&q=x%20y")
  }

  @Test func `an empty list changes nothing`() throws {
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

  @Test func `parameters go to the chosen place`() throws {
    let get = try Request("https://a.org/")
    let post = try Request(.post, "https://a.org/")

    #expect(try post.with(parameters: ["a": 1], in: .query()).url.query() == "a=1")
    #expect(try get.with(parameters: ["a": 1], in: .json).body?.contentType == .json)
    #expect(try post.with(parameters: ["a": 1], in: .form()).body?.contentType == .form)
    #expect(
      try post.with(parameters: ["a": 1], in: .propertyList).body?.contentType == .propertyList
    )
  }

  private func sent(
    _ request: Request,
    _ methods: Set<HTTPMethod>
  ) async throws -> (url: String, body: String?) {
    let script = ServiceScript(.json("{}"))
    let client = Client {
      $0.transport = script
      $0.baseURL = URL(string: "https://a.org/v1")
      $0.queryMethods = methods
    }
    _ = try await client.send(request).value
    let request = try #require(script.requests.first)
    return (
      request.url.absoluteString,
      request.body.map { String(decoding: bytes(of: $0), as: UTF8.self) }
    )
  }

  @Test func `a client chooses the methods with parameters in the query`() async throws {
    let delete = try Request.delete("x?y").with(parameters: ["a": 1])
    let post = try Request.post("x").with(parameters: ["a": 1])

    #expect(try await sent(delete, [.get]) == ("https://a.org/v1/x?y", #"{"a":1}"#))
    #expect(try await sent(delete, [.get, .delete]) == ("https://a.org/v1/x?y&a=1", nil))
    #expect(try await sent(post, [.post]) == ("https://a.org/v1/x?a=1", nil))
    #expect(try await sent(post, []) == ("https://a.org/v1/x", #"{"a":1}"#))
  }

  @Test func `a later addition to the query stays`() async throws {
    let delete = try Request(.delete, "https://b.org/x")
      .with(parameters: ["a": 1])
      .adding(query: ["b": 2])
      .adding(query: ["c": 3])

    #expect(delete.url.absoluteString == "https://b.org/x?a=1&b=2&c=3")
    #expect(try await sent(delete, [.get]) == ("https://b.org/x?b=2&c=3", #"{"a":1}"#))
    let post = try Request(.post, "https://b.org/x")
      .with(parameters: ["a": 1])
      .adding(query: ["b": 2])
    #expect(try await sent(post, [.post]) == ("https://b.org/x?a=1&b=2", nil))
  }

  @Test func `a chosen place, and a later URL, body or method, stay`()
    async throws
  {
    let named = try Request(.delete, "https://b.org/x").with(parameters: ["a": 1], in: .query())
    var body = try Request(.post, "https://b.org/x").with(parameters: ["a": 1])
    body.body = .bytes(Data("b".utf8))
    var method = try Request(.delete, "https://b.org/x").with(parameters: ["a": 1])
    method.method = .patch
    var url = try Request(.delete, "https://b.org/x").with(parameters: ["a": 1])
    url.url = try #require(URL(string: "https://b.org/y"))

    #expect(try await sent(named, []) == ("https://b.org/x?a=1", nil))
    #expect(try await sent(body, [.post]) == ("https://b.org/x", "b"))
    #expect(try await sent(method, []) == ("https://b.org/x?a=1", nil))
    #expect(try await sent(url, []) == ("https://b.org/y", nil))
  }

  @Test func `parameters that fit only into a body fail where a client wants a query`()
    async throws
  {
    let post = try Request(.post, "https://b.org/x").with(parameters: [1, 2])

    #expect(try await sent(post, []).body == "[1,2]")
    await #expect(throws: FreshetError.self) { try await sent(post, [.post]) }
  }
}
