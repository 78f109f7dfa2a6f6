import Foundation
import Freshet
import FreshetTesting
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct ClientRenewalTests {
  /// A client that is made after what needs it.
  private final class Holder: Sendable {
    let client = Mutex<Client?>(nil)
  }

  /// The bodies of six calls at the same time.
  private func texts(from client: Client) async throws -> [String] {
    try await withThrowingTaskGroup(of: String.self) { group in
      for number in 0..<6 {
        group.addTask {
          let request = try Request(to: "http://a.test/\(number)")
          return String(decoding: try await client.send(request).value.value, as: UTF8.self)
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
  }

  @Test
  func `a renewal over the client gets a permit although waiting calls hold all others`()
    async throws
  {
    let wire = ScriptedTransport { request in
      if request.url.path() == "/renew" { return .text("new") }
      return request.headers[.authorization] == "Bearer new" ? .text("x") : ScriptedResponse(401)
    }
    let holder = Holder()
    let api = try #require(URL(string: "http://a.test"))
    let session = Authenticator(.bearer("old"), for: [api]) { _, _ in
      let client = try #require(holder.client.withLock { $0 })
      let answer = try await client.send(try Request(to: "http://a.test/renew")).value
      return .bearer(String(decoding: answer.value, as: UTF8.self))
    }
    let client = Client {
      $0.transport = wire.authenticated(by: session)
      $0.scheduler = RequestScheduler { $0.total = 2 }
    }
    holder.client.withLock { $0 = client }
    defer { holder.client.withLock { $0 = nil } }

    #expect(try await texts(from: client) == Array(repeating: "x", count: 6))
    #expect(wire.requests.count { $0.url.path() == "/renew" } == 1)
  }

  @Test
  func `a signature over the client gets a permit although waiting calls hold all others`()
    async throws
  {
    let wire = ScriptedTransport { request in
      request.url.host() == "keys.test"
        ? .text("key") : .text(request.headers["X-Signature"] ?? "none")
    }
    let holder = Holder()
    let api = try #require(URL(string: "http://a.test"))
    let signer = Authenticator(for: [api]) { request in
      let client = try #require(holder.client.withLock { $0 })
      let key = try await client.send(try Request(to: "http://keys.test/")).value
      var request = request
      request.headers["X-Signature"] = String(decoding: key.value, as: UTF8.self)
      return request
    }
    let client = Client {
      $0.transport = wire.authenticated(by: signer)
      $0.scheduler = RequestScheduler { $0.total = 2 }
    }
    holder.client.withLock { $0 = client }
    defer { holder.client.withLock { $0 = nil } }

    #expect(try await texts(from: client) == Array(repeating: "key", count: 6))
  }

  @Test func `a renewal that fetches does not join a fetch that waits behind it`() async throws {
    let gate = Gate()
    let wire = ScriptedTransport { request in
      if request.url.path() == "/renew" { return .text("new") }
      return request.headers[.authorization] == "Bearer new"
        ? .text("x") : ScriptedResponse(401).waiting(for: gate)
    }
    let holder = Holder()
    let api = try #require(URL(string: "http://a.test"))
    let session = Authenticator(.bearer("old"), for: [api]) { _, _ in
      let client = try #require(holder.client.withLock { $0 })
      let answer = try await client.resource(try Request(to: "http://b.test/renew")).value
      return .bearer(String(decoding: try answer.data(), as: UTF8.self))
    }
    let client = Client {
      $0.transport = wire.authenticated(by: session)
      $0.scheduler = RequestScheduler { $0.total = 1 }
    }
    holder.client.withLock { $0 = client }
    defer { holder.client.withLock { $0 = nil } }

    let renewed = client.resource(try Request(to: "http://a.test/x")).start()
    await gate.waiting()
    let queued = client.resource(try Request(to: "http://b.test/renew")).start()
    while client.configuration.coalescer?.subscriberCount != 2 { await Task.yield() }
    gate.open()

    #expect(try await renewed.value.data() == Data("x".utf8))
    #expect(try await queued.value.data() == Data("new".utf8))
    #expect(wire.requests.count { $0.url.path() == "/renew" } == 2)
  }
}
