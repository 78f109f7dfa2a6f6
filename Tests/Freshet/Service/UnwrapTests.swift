import Foundation
import Freshet
import Testing

@Suite struct UnwrapTests {
  private struct Meta: Codable, Sendable, Equatable {
    var total: Int
  }

  private struct Page<Item: Decodable & Sendable>: Envelope {
    var data: [Item]
    var meta: Meta
    var payload: [Item] { data }
  }

  private static let page =
    #"{"meta": {"total": 12}, "data": {"items": [{"id": 1, "name": "Ann"}]}, "none": null}"#

  private func send(_ text: String, status: HTTPStatus = 200) -> ResponseSequence {
    Client(ServiceScript(.json(text, status: status))).send(.get("users"))
  }

  @Test func `the payload's bytes are the value and the complete body stays`() async throws {
    let response = try await send(Self.page).unwrap(at: "data.items.0").value

    #expect(response.value == Data(#"{"id": 1, "name": "Ann"}"#.utf8))
    #expect(response.body == Data(Self.page.utf8))
  }

  @Test(arguments: ["none", "data.other"])
  func `an absent payload is nil for an optional type, whatever the media types`(
    path: String
  ) async throws {
    let payload = send(Self.page).unwrap(at: PayloadPath(path))

    #expect(try await payload.decode(User?.self).value.value == nil)
    #expect(try await payload.decode(User?.self, contentType: .json).value.value == nil)
    #expect(
      try await payload.decode(User?.self, as: .standard, contentType: .json).value.value == nil
    )
    await #expect(throws: FreshetError.self) {
      try await payload.decode(User?.self, contentType: "text/html").value
    }
  }

  @Test func `siblings are decoded from the response, also after decode`() async throws {
    let response = try await send(Self.page).unwrap(at: "data.items").decode([User].self).value

    #expect(response.value == [User(id: 1, name: "Ann")])
    #expect(try response.sibling(at: "meta", as: Meta.self) == Meta(total: 12))
    #expect(try response.sibling(at: "paging", as: Meta?.self) == nil)
    #expect(throws: FreshetError.self) { try response.sibling(at: "paging", as: Meta.self) }
  }

  @Test(arguments: [("none", "it is null"), ("data.other", "missing"), ("data.items.7", "missing")])
  func `a payload that is missing or null is an error`(path: String, reason: String) async throws {
    let whole = send(Self.page)

    for kind in [
      await #expect(throws: FreshetError.self) {
        try await whole.unwrap(at: PayloadPath(path)).value
      },
      await #expect(throws: FreshetError.self) {
        try await whole.unwrap(at: PayloadPath(path)).decode(User.self).value
      },
      await #expect(throws: FreshetError.self) {
        try await whole.unwrap(at: PayloadPath(path)).decode(String.self, as: .text).value
      },
    ] {
      guard case .decoding(let failure, let head, let body) = kind else { throw try #require(kind) }
      #expect(failure.keyPath == PayloadPath(path).description)
      #expect(failure.reason.contains(reason))
      #expect(head?.status == 200)
      #expect(body == Data(Self.page.utf8))
    }
  }

  @Test(arguments: ["none", "data.other"])
  func `a payload that is missing or null is nil for an optional`(path: String) async throws {
    let response = try await send(Self.page).unwrap(at: PayloadPath(path)).decode(User?.self).value

    #expect(response.value == nil)
  }

  @Test func `names an error of the payload from the top`() async throws {
    let call = send(#"{"data":{"items":[{"id":1,"name":"Ann"},{"id":2}]}}"#)
      .unwrap(at: "data.items")
      .decode([User].self)

    let error = await #expect(throws: FreshetError.self) { try await call.value }

    guard case .decoding(let failure, _, _) = error else { throw try #require(error) }
    #expect(failure.keyPath == "data.items[1].name")
  }

  @Test func `an invalid body is an error`() async throws {
    let error = await #expect(throws: FreshetError.self) {
      try await send(#"{"data": {}"#).unwrap(at: "data").value
    }

    #expect(error?.kind == "decoding")
  }

  @Test func `does not search the envelope of an error response`() async {
    let errors = [
      await #expect(throws: FreshetError.self) {
        try await send(#"{"data":{}}"#, status: 500).unwrap(at: "data").value
      },
      await #expect(throws: FreshetError.self) {
        try await send(Self.page, status: 500).unwrap(as: Page<User>.self).value
      },
    ]

    #expect(errors.map { $0?.kind } == ["status", "status"])
  }

  @Test func `an envelope gives its payload and stays, typed`() async throws {
    let call = send(#"{"data":[{"id":1,"name":"Ann"}],"meta":{"total":12}}"#)
      .reject(as: APIError.self)
      .unwrap(as: Page<User>.self)

    let response = try await call.value

    #expect(response.value == [User(id: 1, name: "Ann")])
    #expect(response.envelope(as: Page<User>.self)?.meta == Meta(total: 12))
    #expect(response.map(\.count).envelope(as: Page<User>.self)?.meta == Meta(total: 12))
    #expect(response.envelope(as: Page<Int>.self) == nil)
  }

  @Test(arguments: [#"{"meta":{"total":1}}"#, #"{"meta":{"total":1},"data":null}"#, #"[]"#, "{}"])
  func `an incomplete envelope is an error`(text: String) async {
    let error = await #expect(throws: FreshetError.self) {
      try await send(text).unwrap(as: Page<User>.self).value
    }

    #expect(error?.kind == "decoding")
  }

  @Test func `unwrapping twice continues from the payload`() async throws {
    let call = send(Self.page).unwrap(at: "data").unwrap(at: "items").unwrap(at: "5")
      .decode(User.self)

    let error = await #expect(throws: FreshetError.self) { try await call.value }

    guard case .decoding(let failure, _, _) = error else { throw try #require(error) }
    #expect(failure.keyPath == "data.items[5]")
  }

  @Test(arguments: [ServiceScript.Reply(status: 204), .json(""), .json(" \r\n")])
  func `an empty body has no payload, which is an error only where one is needed`(
    reply: ServiceScript.Reply
  ) async throws {
    let client = Client(ServiceScript(reply))
    let unwrapped = client.send(.get("x")).unwrap(at: "data")

    #expect(try await unwrapped.decode(EmptyResponse.self).value.value == EmptyResponse())
    #expect(try await unwrapped.decode(User?.self).value.value == nil)
    let whole = try await client.send(.get("x")).value
    #expect(try whole.sibling(at: "meta", as: Int?.self) == nil)
    let error = await #expect(throws: FreshetError.self) {
      try await unwrapped.decode(User.self).value
    }
    #expect(error?.description.contains("data: the body is empty") == true)
    await #expect(throws: FreshetError.self) { try await unwrapped.value }
  }

  @Test func `an envelope is a decoding too`()
    async throws
  {
    struct Page<Item: Decodable & Sendable>: Envelope {
      var data: [Item]
      var next: String?
      var payload: [Item] { data }
    }
    struct ListUsers: Endpoint {
      var path: RequestPath { "users" }
      var decoding: Decoding<[User]> { .unwrapping(Page<User>.self) }
    }
    let script = ServiceScript(.json(#"{"data":[{"id":7,"name":"Ann"}],"next":"b"}"#))
    let client = Client(script)

    let called = try await client.call(ListUsers()).value
    let sent = try await client.send(.get("users"))
      .decode([User].self, as: .unwrapping(Page<User>.self)).value

    #expect(called.value.map(\.name) == ["Ann"] && sent.value == called.value)
    #expect(called.envelope(as: Page<User>.self)?.next == "b")
    #expect(sent.envelope(as: Page<User>.self)?.next == "b")
    #expect(try called.sibling(at: "next", as: String.self) == "b")
  }

  @Test func `an empty body is nil for an optional payload of an envelope`() async throws {
    struct Maybe: Envelope {
      var data: User?
      var payload: User? { data }
    }
    let client = Client(ServiceScript(.init(status: 204)))

    let none = try await client.send(.get("x")).decode(User?.self, as: .unwrapping(Maybe.self))
      .value

    #expect(none.value == nil)
  }
}
