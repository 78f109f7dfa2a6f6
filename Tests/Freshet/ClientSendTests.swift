import Foundation
import Freshet
import FreshetTesting
import Testing

/// `send` with options, and calls through the stores.
@Suite(.timeLimit(.minutes(5))) struct ClientSendTests {
  private let world = FetchWorld()

  private func client(_ wire: ScriptedTransport) -> Client {
    Client { [world] in
      $0.transport = wire
      $0.memory = world.memory
      $0.now = world.now
    }
  }

  private struct Problem: Codable, Sendable, Equatable {
    var message: String
  }

  private struct Load: Endpoint {
    typealias Failure = Problem
    typealias Output = Data
    var path: RequestPath { "http://a.example/logo" }
    var options: CallOptions { CallOptions { $0.cache = ResourcePolicy() } }
  }

  @Test func `options start with those of the request, and change them`() async throws {
    let wire = ScriptedTransport { _ in .text("x") }
    var request = try world.request
    (request.timeouts.total, request.tags, request.priority) = (.seconds(9), ["a"], .low)

    _ = try await client(wire).send(request) { $0.priority = .high }.value

    let sent = try #require(wire.requests.first)
    #expect(sent.timeouts.total == .seconds(9))
    #expect(sent.tags == ["a"])
    #expect(sent.priority == .high)
  }

  @Test func `progress tells the bytes of the request from those of the response`() async throws {
    let wire = ScriptedTransport { _ in
      ScriptedResponse(chunks: [Data("ab".utf8), Data("c".utf8)])
        .sending(TransferProgress(completed: 9, total: 9))
    }
    let request = Request(.post, try world.request.url, body: .text("123456789"))

    var progress: [(Int64, Bool)] = []
    for try await event in client(wire).send(request) {
      if case .progress(let step) = event { progress.append((step.completed, step.isSent)) }
    }

    #expect(progress.filter(\.1).map(\.0) == [9])
    #expect(progress.filter { !$0.1 }.map(\.0) == [2, 3])
  }

  @Test(arguments: [TransferProgress(sent: 1, total: 9), TransferProgress(completed: 1, total: 9)])
  func `what a transport has sent is sent, however it has made it`(
    progress: TransferProgress
  ) async throws {
    let wire = ScriptedTransport { _ in ScriptedResponse().sending(progress) }
    var sent: [TransferProgress] = []

    for try await event in wire.send(try world.request) {
      if case .sent(let progress) = event { sent.append(progress) }
    }

    #expect(sent.map(\.isSent) == [true])
    #expect(sent.map(\.description) == ["1 of 9 bytes sent"])
  }

  @Test func `one call has its own retries and its own demo`() async throws {
    let wire = ScriptedTransport { _ in ScriptedResponse(503) }
    let demo = DemoTransport(directory: URL(filePath: "/"))
    let client = Client {
      $0.transport = wire
      $0.demo = demo
      $0.retry = .standard
    }
    let request = try world.request

    #expect(try await client.send(request) { $0.retry = .never }.value.status == 503)
    #expect(wire.counts.started == 1)
    let answer = DemoRoute("one", success: .bytes(Data("demo".utf8)))
    let shown = try await client.send(request) { $0.demo = answer }.value
    #expect(shown.value == Data("demo".utf8))
    #expect(wire.counts.started == 1)
  }

  @Test func `the stores answer a call through them`() async throws {
    let wire = ScriptedTransport(sequence: [world.minute("one"), world.minute("two")])
    let client = client(wire)
    let call = client.send(try world.request) { $0.cache = ResourcePolicy() }

    let first = try await call.value
    let second = try await call.value
    let past = try await client.send(world.request).value

    #expect(first.value == Data("one".utf8) && second.value == Data("one".utf8))
    #expect(first.resource?.source == .network && second.resource?.source == .memory)
    #expect(past.value == Data("two".utf8) && past.resource == nil)
    #expect(second.explanation.isEmpty == false)
  }

  @Test func `an endpoint uses the stores, and a stale copy comes first`() async throws {
    let wire = ScriptedTransport(sequence: [
      world.minute("one"), world.minute("two", eTag: "\"v2\""),
    ])
    let client = client(wire)
    struct Stale: Endpoint {
      typealias Output = Data
      var path: RequestPath { "http://a.example/logo" }
      var options: CallOptions {
        CallOptions { $0.cache = ResourcePolicy { $0.stale = .beforeValidation } }
      }
    }
    _ = try await client.call(Stale()).value
    world.clock.advance(by: .seconds(120))

    let values = try await client.call(Stale()).values.collected()

    #expect(values.map { String(decoding: $0.value, as: UTF8.self) } == ["one", "two"])
  }

  @Test(arguments: [200, 404, 0])
  func `the promise and the stream of a call through the stores agree`(
    status: Int
  )
    async throws
  {
    let lost = FreshetError.connection(.lost, url: FetchWorld.url)
    let wire = ScriptedTransport { _ in
      status == 0 ? .failure(lost) : .json(#"{"message":"x"}"#, status: HTTPStatus(status))
    }
    let call = client(wire).call(Load())

    var streamed: [String] = []
    do throws(CallError<Problem>) {
      var iterator = call.values.makeAsyncIterator()
      while let next = try await iterator.next(isolation: #isolation) {
        streamed = ["\(next.status)", "\(next.value)"]
      }
    } catch {
      streamed = ["\(error)", "\(String(describing: error.model))"]
    }
    var awaited: [String] = []
    do throws(CallError<Problem>) {
      let value = try await call.value
      awaited = ["\(value.status)", "\(value.value)"]
    } catch {
      awaited = ["\(error)", "\(String(describing: error.model))"]
    }

    #expect(streamed == awaited && !streamed.isEmpty)
  }

  @Test func `other methods and pages bypass the stores`() async throws {
    let wire = ScriptedTransport { _ in world.minute("[]") }
    let client = client(wire)

    for _ in 0..<2 {
      let request = try Request(.post, to: FetchWorld.url)
      _ = try await client.send(request) { $0.cache = ResourcePolicy() }.value
      _ = try await client.pages(Load(), next: .link).values.collected()
    }

    #expect(wire.counts.started == 4)
  }

  @Test func `an error response through the stores is complete, with its explanation`() async throws
  {
    let text = #"{"message":"\#(String(repeating: "x", count: 100_000))"}"#
    let wire = ScriptedTransport { _ in .json(text, status: 422) }

    let error = await #expect(throws: CallError<Problem>.self) {
      try await client(wire).call(Load()).value
    }

    guard case .rejected(let rejection) = error else { throw try #require(error) }
    #expect(rejection.body == Data(text.utf8))
    #expect(rejection.model?.message.count == 100_000)
    #expect(rejection.explanation.map(\.description).contains("memory: miss"))
  }

  @Test func `an error response that is too long is refused, through the stores too`() async throws
  {
    let wire = ScriptedTransport { _ in .json("12345", status: 422) }
    let client = client(wire)

    for policy in [nil, ResourcePolicy()] {
      let call = client.send(try world.request) {
        $0.cache = policy
        $0.bodyLimit = 4
      }
      let error = await #expect(throws: FreshetError.self) { try await call.value }
      #expect(error == .limitExceeded(.bodyBytes(4), url: FetchWorld.url))
    }
  }

  @Test func `a body over the limit ends the call once and releases its connection`()
    async throws
  {
    let gate = Gate()
    let wire = ScriptedTransport { _ in
      ScriptedResponse(chunks: [Data(count: 4), Data(count: 4)])
        .waiting(for: gate, at: .afterChunks(2))
    }
    var events = client(wire).send(try world.request, limit: 6).makeAsyncIterator()
    _ = try await events.next()

    await #expect(throws: FreshetError.self) { try await events.next() }
    #expect(try await events.next() == nil)
    #expect(wire.counts.cancelled == 1)
  }

  @Test func `a demo's response is not stored`() async throws {
    let wire = ScriptedTransport { _ in world.minute("real") }
    let power = DemoSwitch()
    let demo = DemoTransport(
      directory: URL(filePath: "/"),
      routes: [DemoRoute("all", success: .bytes(Data("demo".utf8), headers: [.eTag: "\"d\""]))],
      switchedBy: power
    )
    let client = Client { [world] in
      $0.transport = wire
      $0.memory = world.memory
      $0.demo = demo
      $0.policy = ResourcePolicy { $0.expiry = .after(.seconds(7_200)) }
      $0.now = world.now
    }
    let request = try world.request

    let shown = try await client.resource(request).value
    power.isOn = false
    let real = try await client.resource(request).value

    #expect(try shown.text == "demo")
    #expect(try real.text == "real")
    #expect(real.source == .network)
  }

  @Test func `a transport that keeps requests is released with its client`() async throws {
    weak var kept: ScriptedTransport?
    do {
      let wire = ScriptedTransport { _ in .text("x") }
      kept = wire
      #expect(try await client(wire).send(world.request).value.status == .ok)
      #expect(wire.requests.count == 1)
    }

    #expect(kept == nil)
  }
}
