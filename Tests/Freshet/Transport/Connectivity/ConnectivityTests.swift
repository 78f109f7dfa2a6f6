import Foundation
import FreshetTesting
import Synchronization
import Testing

@testable import Freshet

/// True once, and then false.
private final class Once: Sendable {
  private let isOver = Atomic<Bool>(false)

  func next() -> Bool { !isOver.exchange(true, ordering: .relaxed) }
}

/// Requests that wait for the network.
@Suite(.timeLimit(.minutes(5))) struct ConnectivityTests {
  let network = Connectivity(.offline)
  let clock = VirtualClock()
  let wire = ScriptedTransport { _ in .text("water") }

  private func client(
    over wire: ScriptedTransport? = nil,
    _ configure: (inout Client.Configuration) -> Void = { _ in }
  ) -> Client {
    Client {
      $0.transport = wire ?? self.wire
      $0.connectivity = network
      $0.clock = clock
      $0.memory = nil
      $0.timeouts.waitsForConnectivity = true
      configure(&$0)
    }
  }

  /// Waits until the client has a call that waits for the network.
  private func waits(_ client: Client, _ isWaiting: Bool = true) async {
    while !client.activity.calls.contains(where: { $0.isWaitingForConnectivity == isWaiting }) {
      await Task.yield()
    }
  }

  private static func url(_ host: String) throws -> URL {
    try #require(URL(string: "http://\(host)/lake"))
  }

  @Test func `a request waits until the network is there`() async throws {
    let client = client()
    let running = client.send(Request(try Self.url("a.example"))).start()
    await waits(client)
    #expect(wire.requests.isEmpty)

    network.update(.online)
    let response = try await running.value

    #expect(response.value == Data("water".utf8))
    #expect(response.explanation.description.contains("waited for the network"))
    #expect(wire.requests.count == 1)
  }

  @Test func `a request that does not say so fails as it would`() async throws {
    let lost = ScriptedTransport { request in
      ScriptedResponse().failing(with: .connection(.unknownHost, url: "\(request.url)"))
    }
    let client = client(over: lost) { $0.timeouts.waitsForConnectivity = false }

    let error = await #expect(throws: FreshetError.self) {
      try await client.send(Request(Self.url("a.example"))).value
    }
    #expect(error?.isOffline == true)
    #expect(lost.requests.count == 1)
  }

  @Test(arguments: ["localhost", "api.localhost", "127.0.0.1:8080", "127.9.9.9", "[::1]:80"])
  func `a request to this host does not wait`(host: String) async throws {
    let response = try await client().send(Request(Self.url(host))).value
    #expect(response.status == 200)
  }

  @Test(arguments: ["127.example", "localhost.example", "a.example", "[::2]", "10.0.0.1"])
  func `another host is not this one`(host: String) throws {
    #expect(URLOrigin(try Self.url(host))?.isLoopback == false)
  }

  @Test func `a wait has a limit of its own, and no other timeout runs`() async throws {
    let client = client {
      $0.timeouts.total = .seconds(5)
      $0.timeouts.connectivity = .seconds(60)
      $0.deadline = .seconds(5)
      $0.retry = RetryPolicy(retries: 3, after: .zero)
    }
    let running = client.send(Request(try Self.url("a.example"))).start()
    #expect(await clock.sleepers(count: 1))
    clock.advance(by: .seconds(59))
    await waits(client)
    clock.advance(by: .seconds(1))

    let error = await #expect(throws: FreshetError.self) { try await running.value }
    #expect(error == .timedOut(.connectivity, url: "http://a.example/lake"))
    #expect(error?.isOffline == true)
    #expect(wire.requests.isEmpty)
  }

  @Test func `the time of a wait counts for no attempt that follows`() async throws {
    let first = Once()
    let flaky = ScriptedTransport { request in
      first.next()
        ? ScriptedResponse(503) : .text("\(request.timeouts.total?.components.seconds ?? -1)")
    }
    let client = client(over: flaky) {
      $0.timeouts.total = .seconds(30)
      $0.retry = RetryPolicy(retries: 3, after: .seconds(2))
    }
    let running = client.send(Request(try Self.url("a.example"))).start()
    await waits(client)
    clock.advance(by: .seconds(1_000))
    network.update(.online)
    #expect(await clock.sleepers(count: 1))
    clock.advance(by: .seconds(2))
    let response = try await running.value

    #expect(String(decoding: response.value, as: UTF8.self) == "28")
  }

  @Test func `an attempt that finds no network waits again, and is no retry`() async throws {
    let network = network
    let first = Once()
    let leaving = ScriptedTransport { request in
      guard first.next() else { return .text("water") }
      network.update(.offline)
      return ScriptedResponse().failing(with: .connection(.unknownHost, url: "\(request.url)"))
    }
    network.update(.online)
    let client = client(over: leaving) { $0.retry = .never }
    let running = client.send(Request(try Self.url("a.example"))).start()
    await waits(client)
    network.update(.online)

    #expect(try await running.value.value == Data("water".utf8))
    #expect(leaving.requests.count == 2)
  }

  @Test func `the time of an attempt that loses the network counts for the total timeout`()
    async throws
  {
    let (network, clock, first) = (network, clock, Once())
    let leaving = ScriptedTransport { request in
      guard first.next() else {
        return .text("\(request.timeouts.total?.components.seconds ?? -1)")
      }
      clock.advance(by: .seconds(15))
      network.update(.offline)
      return ScriptedResponse().failing(with: .connection(.unknownHost, url: "\(request.url)"))
    }
    network.update(.online)
    let client = client(over: leaving) {
      $0.retry = .never
      $0.timeouts.total = .seconds(20)
    }
    let running = client.send(Request(try Self.url("a.example"))).start()
    await waits(client)
    clock.advance(by: .seconds(100))
    network.update(.online)

    #expect(String(decoding: try await running.value.value, as: UTF8.self) == "5")
  }

  @Test func `the time of a wait counts for no hop of a redirect behind a demo`() async throws {
    let redirecting = ScriptedTransport { request in
      request.url.path == "/lake"
        ? ScriptedResponse(302, headers: [.location: "/other"])
        : .text("\(request.timeouts.total?.components.seconds ?? -1)")
    }
    let client = client(over: redirecting) {
      $0.demo = DemoTransport(directory: URL(filePath: "/"), routes: [])
      $0.timeouts.total = .seconds(30)
    }
    let running = client.send(Request(try Self.url("a.example"))).start()
    await waits(client)
    // The deadline of the redirects is the system clock's, which stands still beside this.
    clock.advance(by: .seconds(100))
    network.update(.online)

    let left = Int(String(decoding: try await running.value.value, as: UTF8.self)) ?? 0
    #expect(left > 100)
  }

  @Test func `a body that can be read once is not sent twice`() async throws {
    let network = network
    let leaving = ScriptedTransport { request in
      network.update(.offline)
      return ScriptedResponse().failing(with: .connection(.unknownHost, url: "\(request.url)"))
    }
    network.update(.online)
    let body = RequestBody.stream { RequestBody.text("x").chunks }
    let request = Request(.put, try Self.url("a.example"), body: body)

    await #expect(throws: FreshetError.self) {
      try await client(over: leaving).send(request).value
    }
    #expect(leaving.requests.count == 1)
  }

  @Test func `a call that waits can be cancelled, and holds no permit`() async throws {
    let client = client { $0.scheduler = RequestScheduler { $0.total = 1 } }
    let waiting = client.send(Request(try Self.url("a.example"))).start()
    await waits(client)
    _ = try await client.send(Request(try Self.url("localhost"))).value
    waiting.cancel()

    await #expect(throws: FreshetError.cancelled) { try await waiting.value }
    while !client.activity.isIdle { await Task.yield() }
    let tagged = client.send(Request(try Self.url("a.example"))).start()
    await waits(client)
    client.activity.cancelAll()
    await #expect(throws: FreshetError.cancelled) { try await tagged.value }
  }

  @Test func `activity and diagnostics tell that a call waits`() async throws {
    let diagnostics = Diagnostics()
    let client = client { $0.diagnostics = diagnostics }
    var changes = client.activity.changes.makeAsyncIterator()
    let running = client.send(Request(try Self.url("a.example"))).start()
    var seen: [String] = []
    while seen.last != "idle" {
      switch try await changes.next() {
      case .began: seen.append("began")
      case .changedWait(let call):
        seen.append("waiting \(call.isWaitingForConnectivity)")
        if call.isWaitingForConnectivity { network.update(.online) }
      case .ended: seen.append("ended")
      case .becameIdle: seen.append("idle")
      case nil: seen.append("idle")
      }
    }
    _ = try await running.value

    #expect(seen == ["began", "waiting true", "waiting false", "ended", "idle"])
    let told = diagnostics.recent.map(\.occurrence.description)
    #expect(told.contains("waiting for the network"))
  }

  @Test func `a batch pauses offline and goes on by itself`() async throws {
    let client = client()
    let urls = try (0..<5).map { try Self.url("a\($0).example") }
    let running = client.batch(urls).run().start()
    await waits(client)
    #expect(wire.requests.isEmpty)
    network.update(.online)
    let result = try await running.value

    #expect(result.failures.isEmpty)
    #expect(wire.requests.count == 5)
  }

  @Test func `an event stream that breaks waits for the network, and goes on`() async throws {
    let network = network
    let ticker = ScriptedTransport { _ in
      ScriptedResponse(
        headers: [.contentType: "text/event-stream"],
        body: Data("id: 1\ndata: x\n\n".utf8)
      )
    }
    network.update(.online)
    let client = client(over: ticker) { $0.clock = ContinuousClock() }
    var events = client.events(Request(try Self.url("a.example"))).makeAsyncIterator()
    #expect(try await events.next()?.data == "x")
    network.update(.offline)
    let waiting = Task { [self] in
      await waits(client)
      let count = ticker.requests.count
      network.update(.online)
      return count
    }

    #expect(try await events.next()?.data == "x")
    #expect(await waiting.value == ticker.requests.count - 1)
  }

  @Test func `a request in a journal waits in the next process as well`() throws {
    var request = Request(try Self.url("a.example"))
    request.timeouts.waitsForConnectivity = true
    request.timeouts.connectivity = .seconds(90)
    let data = try JSONEncoder().encode(RequestRecord(request))
    let read = try JSONDecoder().decode(RequestRecord.self, from: data).request

    #expect(read.timeouts == request.timeouts)
  }

  @Test func `states are the present one and each other one`() async throws {
    var states = network.states.makeAsyncIterator()
    #expect(try await states.next() == .offline)
    network.update(.offline)
    network.update(.online)
    #expect(try await states.next() == .online)
    #expect(network.state == .online)
    let task = Task { [network] in
      var states = network.states.makeAsyncIterator()
      _ = try await states.next()
      return try await states.next()
    }
    task.cancel()
    #expect(try await task.value == nil)
  }
}
