import Foundation
import FreshetTesting
import Synchronization
import Testing

@testable import Freshet

/// The media types that a policy accepts, and the decoding of resources that were fetched in batches.
@Suite(.timeLimit(.minutes(5))) struct ResourceTypesTests {
  let world = ClientWorld()

  private static let ann = #"{"id":7,"name":"Ann"}"#

  private func json(_ text: String = ann, status: HTTPStatus = .ok) -> ScriptedResponse {
    world.response(text, status: status, headers: [.contentType: "application/json"])
  }

  private var portal: ScriptedResponse {
    world.response("<html>", headers: [.contentType: "text/html"])
  }

  /// Answers `portal` with a page, and everything else with a user.
  private var origin: ScriptedTransport {
    ScriptedTransport { request in
      request.url.lastPathComponent == "portal" ? portal : json()
    }
  }

  private let urls = [BatchWorld.url("users/7"), BatchWorld.url("portal")]

  @Test func `an item of another media type fails alone, and is not stored`() async throws {
    let batch = world.client(origin).batch(urls) { $0.contentTypes = .json }

    let result = try await batch.run().value

    #expect(result.completedItems == 1)
    #expect(result.failures.map(\.item.index) == [1])
    guard case .decoding(let failure, let head, let body)? = result.failures.first?.error else {
      Issue.record("\(result.failures)")
      return
    }
    #expect(failure.reason.hasPrefix("its Content-Type is text/html, and not application/json"))
    #expect(head?.headers[.contentType] == "text/html" && body.isEmpty)
    #expect(world.memory.count == 1)
  }

  @Test func `a stale copy replaces a response of another media type`() async throws {
    let client = world.client(ScriptedTransport(sequence: [json(), portal]))
    _ = try await client.resource(try world.request).value
    world.clock.advance(by: .seconds(80))

    let shown = try await client.resource(try world.request) { $0.contentTypes = .json }.shown

    #expect(shown == ["memory stale: \(Self.ann)"])
    #expect(world.memory.count == 1)
  }

  @Test func `a stored copy of another media type is downloaded again`() async throws {
    let client = world.client(ScriptedTransport(sequence: [portal, json()]))
    #expect(try await client.resource(try world.request).value.text == "<html>")

    let value = try await client.resource(try world.request) { $0.contentTypes = .json }.value

    #expect(try value.text == Self.ann)
    #expect(value.source == .network)
  }

  @Test func `an error response of another media type fails by its status`() async throws {
    let page = world.response("<html>", status: 502, headers: [.contentType: "text/html"])
    let client = world.client(ScriptedTransport(sequence: [page]))

    let error = await #expect(throws: FreshetError.self) {
      try await client.resource(try world.request) { $0.contentTypes = .json }.value
    }

    #expect(error?.kind == "status")
  }

  @Test(arguments: [HTTPStatus.ok, 204])
  func `an empty body has no media type to refuse`(status: HTTPStatus) async throws {
    var types = ContentTypes.json
    types.requiresType = true
    let empty = ScriptedResponse(status, headers: status == 204 ? [:] : [.contentLength: "0"])
    let client = world.client(ScriptedTransport(sequence: [empty]))

    let value = try await client.resource(try world.request) { $0.contentTypes = types }.value

    #expect(value.body.length == 0)
  }

  @Test func `the items of a batch are decoded as resources are`() async throws {
    let client = world.client(origin)
    var users: [User] = []
    var explained = false

    for try await event in client.batch(urls.prefix(1)).run() {
      guard case .received(_, let resource) = event else { continue }
      let response = try await resource.decode(User.self)
      users.append(response.value)
      explained = !response.explanation.isEmpty && response.resource != nil
    }

    #expect(users == [User(id: 7, name: "Ann")])
    #expect(explained)
  }

  @Test func `a body that is not the value fails with its key path`() async throws {
    let client = world.client(ScriptedTransport(sequence: [json(#"{"id":"x","name":"Ann"}"#)]))
    let resource = try await client.resource(try world.request).value

    let error = await #expect(throws: FreshetError.self) {
      try await resource.decode(User.self, as: .json)
    }

    guard case .decoding(let failure, _, _) = error else { throw try #require(error) }
    #expect(failure.keyPath == "id")
  }

  @Test func `each kind of batch takes a closure for its policy`() async throws {
    let client = world.client(origin) { $0.policy.expiry = .never }
    let requests = urls.map { Request($0) }
    let entries = requests.map { BatchEntry($0) }
    func stream<Element: Sendable>(_ elements: [Element]) -> AsyncStream<Element> {
      AsyncStream { continuation in
        for element in elements { continuation.yield(element) }
        continuation.finish()
      }
    }
    let json: (inout ResourcePolicy) -> Void = { $0.contentTypes = .json }
    let batches = [
      client.batch(urls, json), client.batch(requests, json), client.batch(entries, json),
      client.batch(stream(urls), json), client.batch(stream(requests), json),
      client.batch(stream(entries), json),
    ]

    for batch in batches {
      #expect(try await batch.run().value.failures.map(\.item.index) == [1])
      #expect(batch.usedPolicy.expiry == .never)
    }
  }
}
