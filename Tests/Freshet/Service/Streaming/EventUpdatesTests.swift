import Foundation
import Freshet
import FreshetTesting
import Synchronization
import Testing

/// What is told of an event stream's connections, where it goes on, and what its data becomes.
@Suite struct EventUpdatesTests {
  private struct Tick: Codable, Sendable, Equatable { let n: Int }

  private func reconnection(_ configure: (inout Reconnection) -> Void = { _ in }) -> Reconnection {
    Reconnection {
      $0.minimumDelay = .milliseconds(1)
      $0.delay = .milliseconds(1)
      configure(&$0)
    }
  }

  private func words(_ stream: EventStream) async throws -> [String] {
    var words: [String] = []
    for try await update in stream.updates {
      switch update {
      case .connecting: words.append("connecting")
      case .opened(let head): words.append("opened \(head.status)")
      case .received(let event): words.append("received \(event.data)")
      case .reconnecting(_, let error): words.append("reconnecting \(error.kind)")
      case .closed: words.append("closed")
      }
    }
    return words
  }

  @Test func `reports each connection in order, and the end once`() async throws {
    let script = ServiceScript(
      .events("data: a\n\n"),
      .failure(.connection(.refused, url: "")),
      .json("", status: 503),
      .events("data: b\n\n", failure: .timedOut(.idle, url: "")),
      .init(status: 204)
    )

    let words = try await words(Client(script).events(.get("x"), reconnection: reconnection()))

    #expect(
      words == [
        "connecting", "opened 200", "received a", "reconnecting connection",
        "connecting", "reconnecting connection", "connecting", "reconnecting status",
        "connecting", "opened 200", "received b", "reconnecting timedOut", "connecting", "closed",
      ]
    )
  }

  @Test func `reports the end of a POST once`() async throws {
    let script = ServiceScript(.events("data: a\n\n"))

    let words = try await words(Client(script).events(.post("https://api.test/chat")))

    #expect(words == ["connecting", "opened 200", "received a", "closed"])
  }

  @Test func `reports the pause before it begins`() async throws {
    let script = ServiceScript(.failure(.connection(.refused, url: "")), .init(status: 204))
    let clock = VirtualClock()
    let stream = Client(script)
      .events(
        .get("x"),
        reconnection: Reconnection {
          $0.delay = .seconds(3)
          $0.clock = clock
        }
      )
    var updates = stream.updates.makeAsyncIterator()
    guard case .connecting? = try await updates.next(),
      case .reconnecting(let pause, let error)? = try await updates.next()
    else {
      Issue.record("it has told something else")
      return
    }

    #expect(pause >= .seconds(3) && pause <= .milliseconds(4_500))
    #expect(error == .connection(.refused, url: ""))
    #expect(script.requests.count == 1)
  }

  @Test func `fails as the stream does, and then ends`() async throws {
    let stream = Client(ServiceScript(.json("", status: 404))).events(.get("x"))
    var updates = stream.updates.makeAsyncIterator()

    guard case .connecting? = try await updates.next() else {
      Issue.record("it has told something else")
      return
    }
    let error = await #expect(throws: FreshetError.self) { try await updates.next() }
    #expect(error?.kind == "status")
    #expect(try await updates.next() == nil)
  }

  @Test func `continues after the given event`() async throws {
    let script = ServiceScript(
      .events("data: a\n\nid: 9\n\n"),
      .failure(.connection(.lost, url: "")),
      .init(status: 204)
    )
    let stream = Client(script).events(.get("x"), reconnection: reconnection())
      .resuming(after: "7")
    var events = stream.makeAsyncIterator()

    #expect(events.lastEventID == "7")
    #expect(try await events.next() == ServerSentEvent(data: "a", id: "7"))
    #expect(try await events.next() == nil)
    #expect(events.lastEventID == "9")
    #expect(script.requests.map { $0.headers[.lastEventID] } == ["7", "9", "9"])
  }

  @Test func `an id that no field can contain is not sent`() async throws {
    let script = ServiceScript(.init(status: 204))

    for try await _ in Client(script).events(.get("x")).resuming(after: "1\r\nX: 2") {}

    #expect(script.requests.map { $0.headers[.lastEventID] } == [nil])
  }

  @Test func `decodes data and keeps type and id`() async throws {
    let script = ServiceScript(
      .events("id: 1\nevent: tick\ndata: {\"n\":\ndata: 5}\n\ndata: {\"n\":6}\n\n"),
      .init(status: 204)
    )
    let stream = Client(script).events(.get("x"), reconnection: reconnection())

    var ticks: [DecodedEvent<Tick>] = []
    for try await tick in stream.decode(Tick.self) { ticks.append(tick) }

    #expect(
      ticks == [
        DecodedEvent(type: "tick", id: "1", value: Tick(n: 5)),
        DecodedEvent(type: "message", id: "1", value: Tick(n: 6)),
      ]
    )
  }

  @Test func `data that cannot be decoded ends the stream, secrets hidden`() async throws {
    let script = ServiceScript(.events("data: {\"token\":\"hunter2\"}\n\ndata: {\"n\":1}\n\n"))
    var ticks = Client(script).events(.get("x")).decode(Tick.self).makeAsyncIterator()

    do throws(FreshetError) {
      _ = try await ticks.next(isolation: #isolation)
      Issue.record("it has decoded")
    } catch {
      #expect(error.kind == "decoding")
      #expect(!"\(error)".contains("hunter2"))
    }

    let last = try await ticks.next(isolation: #isolation)
    #expect(last == nil)
    #expect(throws: FreshetError.self) { try ServerSentEvent(data: "x").decode(Tick.self) }
    #expect(try ServerSentEvent(data: "{\"n\":3}").decode(Tick.self) == Tick(n: 3))
  }

  @Test func `events of one body and filtered ones are decoded too`() async throws {
    let script = ServiceScript(.events("event: a\ndata: 1\n\nevent: b\ndata: {\"n\":2}\n\n"))
    let events = Client(script).stream(.get("x")).events().filter { $0.type == "b" }

    var values: [Int] = []
    for try await tick in events.decode(Tick.self) { values.append(tick.value.n) }

    #expect(values == [2])
  }

  @Test func `an update is a line without the event's data`() throws {
    let event = ServerSentEvent(type: "tick", data: "hunter2")

    #expect("\(EventStream.Update.received(event))" == "received tick, 7 bytes")
    #expect("\(EventStream.Update.connecting)" == "connecting")
    let broken = EventStream.Update.reconnecting(
      after: .seconds(3),
      because: .connection(.refused, url: "https://a.example/")
    )
    #expect("\(broken)".hasPrefix("reconnecting in 3") && "\(broken)".contains("refused"))
    let stream = Client(ServiceScript(.init(status: 204))).events(.get("x"))
    #expect("\(stream.updates)" == "\(stream)\n  .updates")
  }
}
