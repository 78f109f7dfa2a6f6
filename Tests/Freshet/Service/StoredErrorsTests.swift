import Foundation
import Freshet
import FreshetTesting
import Synchronization
import Testing

/// Error responses with a status of 2xx, and the stores.
@Suite struct StoredErrorsTests {
  private static let ann = ScriptedResponse(
    headers: [.cacheControl: "max-age=60"],
    body: Data(#"{"data":{"id":7,"name":"Ann"}}"#.utf8)
  )
  private static let error = ScriptedResponse(
    headers: [.cacheControl: "max-age=60"],
    body: Data(#"{"errors":[{"message":"busy"}]}"#.utf8)
  )

  private struct Failures: Decodable, Sendable {
    struct Failure: Decodable, Sendable { var message: String }
    var errors: [Failure]
  }

  private struct ShowUser: Endpoint {
    typealias Output = User
    typealias Failure = Failures
    var isJudged: @Sendable () -> Void = {}
    var method: HTTPMethod { .post }
    var path: RequestPath { "graphql" }
    var body: RequestBody? { .text("{ user { name } }") }
    var payload: PayloadPath { "data" }
    var options: CallOptions {
      CallOptions {
        $0.cacheIdentity = .request()
        $0.useStores { $0.expiry = .after(.seconds(60)) }
      }
    }
    func isError(_ response: Response<Data>) -> Bool {
      isJudged()
      return response.hasValue(at: "errors")
    }
  }

  private func client(
    _ transport: ScriptedTransport,
    _ clock: VirtualClock,
    _ stores: (inout Client.Configuration) -> Void = { $0.memory = MemoryStore() }
  ) throws -> Client {
    let base = try #require(URL(string: "http://a.example"))
    return Client {
      $0.baseURL = base
      $0.transport = transport
      $0.retry = .never
      $0.now = { clock.date }
      stores(&$0)
    }
  }

  @Test func `an error with a successful status answers no later call`() async throws {
    let transport = ScriptedTransport(sequence: [Self.error, Self.ann])
    let client = try client(transport, VirtualClock())

    let error = await #expect(throws: CallError<Failures>.self) {
      _ = try await client.call(ShowUser()).value
    }
    guard case .rejected(let rejection)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(rejection.model?.errors.first?.message == "busy")

    #expect(try await client.call(ShowUser()).output.name == "Ann")
    #expect(try await client.call(ShowUser()).output.name == "Ann")
    #expect(transport.requests.count == 2)
  }

  @Test func `an error with a successful status replaces no stored response`() async throws {
    let clock = VirtualClock()
    let transport = ScriptedTransport(sequence: [
      Self.ann, Self.error, .failure(.connection(.lost, url: "http://a.example/graphql")),
    ])
    let client = try client(transport, clock)
    #expect(try await client.call(ShowUser()).output.name == "Ann")
    clock.advance(by: .seconds(61))

    await #expect(throws: CallError<Failures>.self) {
      _ = try await client.call(ShowUser()).value
    }
    #expect(try await client.call(ShowUser()).output.name == "Ann")
    #expect(transport.requests.count == 3)
  }

  @Test func `a response is judged once for all stores`() async throws {
    let transport = ScriptedTransport(sequence: [Self.error])
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    let client = try client(transport, VirtualClock()) {
      $0.memory = MemoryStore()
      $0.disk = DiskStore(directory: folder)
    }
    let count = CallCount()

    await #expect(throws: CallError<Failures>.self) {
      _ = try await client.call(ShowUser(isJudged: count.add)).value
    }

    // Once for the stores, and once for the call.
    #expect(count.value == 2)
  }

  private final class CallCount: Sendable {
    private let count = Atomic(0)
    var value: Int { count.load(ordering: .relaxed) }
    @Sendable func add() { count.add(1, ordering: .relaxed) }
  }
}
