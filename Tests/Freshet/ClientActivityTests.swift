import Foundation
import Freshet
import FreshetTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct ClientActivityTests {
  private let world = FetchWorld()

  private func client(
    _ wire: ScriptedTransport,
    _ configure: (inout Client.Configuration) -> Void = { _ in }
  ) -> Client {
    Client {
      $0.transport = wire
      $0.memory = world.memory
      $0.now = world.now
      configure(&$0)
    }
  }

  /// A way in which a client has something on the network.
  struct Way: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let run: @Sendable (Client, Request) async throws -> Void
  }

  private static let ways = [
    Way(testDescription: "a call") { _ = try await $0.send($1).value },
    Way(testDescription: "a resource") { _ = try await $0.resource($1).value },
    Way(testDescription: "a stream") { for try await _ in $0.stream($1) {} },
    Way(testDescription: "events") { for try await _ in $0.events($1) {} },
    Way(testDescription: "bytes") { _ = try await $0.bytes($1).length },
    Way(testDescription: "a batch") { client, request in
      for try await event in client.batch([request.url]).run() {
        if case .failed(_, let error) = event { throw error }
      }
    },
  ]

  @Test(arguments: ways)
  func `sees and ends calls that began before the activity was read`(way: Way) async throws {
    let gate = Gate()
    let wire = ScriptedTransport { _ in .text("x").waiting(for: gate) }
    let client = client(wire)
    let request = try Request(to: "http://a.test/early")
    let task = Task { try await way.run(client, request) }
    await gate.waiting()

    #expect(client.activity.calls.map(\.url) == ["http://a.test/early"])
    client.activity.cancelAll()

    await #expect(throws: FreshetError.cancelled) { try await task.value }
    #expect(client.activity.isIdle)
    #expect(wire.counts.cancelled == 1)
  }

  @Test func `reports changes to its readers`() async throws {
    let client = client(ScriptedTransport { _ in .text("x") })
    _ = try await client.send(Request(to: "http://a.test/early")).value

    var changes = client.activity.changes.makeAsyncIterator()
    _ = try await client.send(Request(to: "http://a.test/call")).value
    _ = try await client.resource(try Request(to: "http://a.test/fetch")).value

    var seen: [String] = []
    for _ in 0..<6 {
      switch try await changes.next() {
      case .began(let call): seen.append("\(call.id) \(call.url)")
      case .ended(let call, let error): seen.append("\(call.id) \(error?.kind ?? "complete")")
      case .becameIdle: seen.append("idle")
      case .changedWait: seen.append("waits")
      case nil: break
      }
    }
    #expect(
      seen == [
        "2 http://a.test/call", "2 complete", "idle", "3 http://a.test/fetch", "3 complete", "idle",
      ]
    )
  }

  @Test func `a call that a store answers is not on the network`() async throws {
    let client = client(ScriptedTransport(sequence: [world.minute("one"), .text("x")]))
    let activity = client.activity
    _ = try await client.resource(try world.request).value

    _ = try await client.resource(try world.request).value

    #expect(activity.isIdle)
    var changes = activity.changes.makeAsyncIterator()
    _ = try await client.send(Request(to: "http://a.test/next")).value
    guard case .began(let call) = try await changes.next() else {
      Issue.record("nothing has begun")
      return
    }
    #expect(call.id == 2)
  }

  @Test func `ends a fetch by its tag, in a copy of the client too`() async throws {
    let gate = Gate()
    let wire = ScriptedTransport { _ in .text("x").waiting(for: gate) }
    let client = client(wire)
    let activity = client.activity
    let copy = client
    let task = Task {
      try await copy.resource(try Request(to: "http://a.test/x") { $0.tags = ["screen"] }).value
    }
    await gate.waiting()

    activity.cancel(tagged: "screen")

    await #expect(throws: FreshetError.cancelled) { try await task.value }
    #expect(activity.isIdle)
    #expect(wire.counts.cancelled == 1)
  }

  @Test func `clients can share an activity, which sees their calls from the beginning`()
    async throws
  {
    let activity = ClientActivity()
    var changes = activity.changes.makeAsyncIterator()
    for _ in 0..<2 {
      let client = client(ScriptedTransport { _ in .text("x") }) { $0.activity = activity }
      _ = try await client.send(Request(to: "http://a.test/x")).value
      #expect(client.activity === activity)
    }

    var began = 0
    while began < 2 {
      if case .began(let call) = try await changes.next() {
        began += 1
        #expect(call.id == began)
      }
    }
  }

  @Test func `a client reports a call to its diagnostics once, with its attempts`() async throws {
    let diagnostics = Diagnostics()
    var policy = RetryPolicy.standard
    policy.baseDelay = .zero
    let wire = ScriptedTransport(sequence: [ScriptedResponse(503), .text("x")])
    let client = client(wire) {
      $0.diagnostics = diagnostics
      $0.retry = policy
    }

    _ = try await client.send(Request(to: "http://a.test/x")).value

    #expect(diagnostics.recent.map(\.call) == Array(repeating: 1, count: diagnostics.recent.count))
    let texts = diagnostics.recent.map { String(describing: $0.occurrence) }
    #expect(texts.first == "started")
    #expect(texts.contains { $0.hasPrefix("attempt 2") })
    #expect(texts.last?.hasPrefix("200") == true)
  }
}
