import Foundation
import Freshet
import FreshetTesting
import Testing

/// Errors with a successful status that are found behind the stores, which may not return them to later calls.
@Suite struct LateErrorTests {
  private let world = ClientWorld()
  private let sandbox = StoreSandbox()

  private struct Query: Endpoint {
    typealias Output = JSONValue
    var path: RequestPath { "http://a.example/graphql" }
    var method: HTTPMethod { .post }
    var body: RequestBody? { .text("{ me }") }
    var options: CallOptions {
      CallOptions {
        $0.cacheIdentity = .request()
        $0.useStores { $0.expiry = .never }
      }
    }
    func isError(_ response: Response<Data>) -> Bool { response.hasValue(at: "errors") }
  }

  private enum Judge: CaseIterable {
    case endpoint
    case predicate
    case router
  }

  private func ask(_ client: Client, _ judge: Judge) async throws {
    let query = Query()
    switch judge {
    case .endpoint: _ = try await client.call(query).value
    case .predicate:
      let options = query.options
      let request = Request.post("http://a.example/graphql", body: query.body)
      _ = try await client.send(request) { $0 = options }
        .reject(as: JSONValue.self, when: query.isError)
        .value
    case .router:
      let options = query.options
      let router = try Router([Route("**", JSONValue.self)]) { $0.isError = query.isError }
      let request = Request.post("http://a.example/graphql", body: query.body)
      _ = try await client.send(request) { $0 = options }
        .decode(JSONValue.self, by: router)
        .value
    }
  }

  @Test(arguments: Judge.allCases)
  private func `an error with status 200 is in no store`(judge: Judge) async throws {
    let wire = ScriptedTransport(sequence: [
      .json(#"{"errors": [{}]}"#), .json(#"{"data": {}}"#), .json(#"{"data": {}}"#),
    ])
    let disk = DiskStore(directory: sandbox.url.appending(path: "store"))
    let client = world.client(wire) { $0.disk = disk }

    await #expect(throws: (any Error).self) { try await ask(client, judge) }
    #expect(world.memory.count == 0)
    #expect(try await disk.statistics().count == 0)
    try await ask(client, judge)
    try await ask(client, judge)

    #expect(wire.counts.started == 2)
    await disk.close()
  }

  @Test func `an error with status 200 that was not stored leaves the copy`() async throws {
    let wire = ScriptedTransport(sequence: [
      .json(#"{"data": {}}"#), .json(#"{"errors": [{}]}"#),
    ])
    let client = world.client(wire)
    try await ask(client, .endpoint)

    let request = Request.post("http://a.example/graphql", body: Query().body)
    await #expect(throws: (any Error).self) {
      try await client.send(request) {
        $0.cacheIdentity = .request()
        $0.useStores {
          $0.network = .required
          $0.persistence = .nowhere
        }
      }
      .reject(as: JSONValue.self, when: Query().isError)
      .value
    }

    #expect(world.memory.count == 1)
  }
}
