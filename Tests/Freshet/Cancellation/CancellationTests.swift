import Foundation
import Freshet
import FreshetTesting
import Synchronization
import Testing

/// A call that is cancelled wherever it waits ends once, and leaves nothing behind.
@Suite(.timeLimit(.minutes(5))) struct CancellationTests {
  /// The places at which a call can wait.
  enum Place: CaseIterable, CustomTestStringConvertible {
    case head, body, errorBody, redirect, retryPause, limiter, refresh, demoLatency, demoChunk
    case decoding, pageBorder, reconnection, store

    var testDescription: String { "\(self)" }
  }

  private let clock = VirtualClock()
  private let gate = Gate()
  private let wire: ScriptedTransport

  init() {
    let gate = gate
    let wait = { @Sendable (response: ScriptedResponse, point: ScriptedResponse.Point) in
      response.waiting(for: gate, at: point)
    }
    wire = ScriptedTransport { request in
      switch request.url.path() {
      case "/head", "/store": wait(.json("[1]"), .beforeHead)
      case "/body": wait(.json("[1]"), .afterChunks(0))
      case "/redirect":
        wait(
          ScriptedResponse(302, headers: [.location: "/body"], body: Data("x".utf8)),
          .beforeHead
        )
      case "/error": wait(.json("no", status: 500), .afterChunks(0))
      case "/retry": ScriptedResponse(503)
      case "/refresh": ScriptedResponse(401)
      case "/page":
        if request.url.query() == nil {
          ScriptedResponse(headers: ["Link": "<?2>; rel=next"], body: Data("[1]".utf8))
        } else {
          wait(.json("[2]"), .beforeHead)
        }
      case "/events":
        ScriptedResponse(headers: [.contentType: "text/event-stream"], body: Data(": \n\n".utf8))
      default: .json("[1]")
      }
    }
  }

  /// Begins a call that will wait there, and returns when it does.
  private func call(_ place: Place) async throws -> Task<FreshetError?, Never> {
    let limiter = RequestScheduler(clock: clock) { $0.total = 1 }
    let (client, url) = (try client(limiter), "http://a.test/")
    let task: Task<FreshetError?, Never>
    switch place {
    case .head, .body, .redirect:
      task = run(client.send(try Request(to: url + "\(place)")))
      await gate.waiting()
    case .errorBody:
      task = run(client.send(try Request(to: url + "error")) { $0.retry = .never })
      await gate.waiting()
    case .retryPause:
      task = run(client.send(try Request(to: url + "retry")))
      await clock.sleepers(count: 1)
    case .limiter:
      let first = run(client.send(try Request(to: url + "head")))
      await gate.waiting()
      task = run(client.send(try Request(to: url + "second") { $0.timeouts.total = .seconds(60) }))
      await clock.sleepers(count: 1)
      task.cancel()
      _ = await task.value
      first.cancel()
      _ = await first.value
    case .refresh:
      task = run(client.send(try Request(to: url + "refresh")))
      await gate.waiting()
    case .demoLatency:
      task = run(client.send(try Request(to: url)) { $0.demo = .slow(head: .seconds(5)) })
      await clock.sleepers(count: 1)
    case .demoChunk:
      task = run(client.send(try Request(to: url)) { $0.demo = .slow(chunk: .seconds(5)) })
      await clock.sleepers(count: 1)
    case .decoding:
      // It is cancelled from within, for a decoder that waited would hold a thread.
      let decoding = Decoding<[Int]> { _, _ in
        withUnsafeCurrentTask { $0?.cancel() }
        return []
      }
      task = run(client.send(try Request(to: url)).decode([Int].self, as: decoding))
    case .pageBorder:
      task = run(client.pages(try Request(to: url + "page"), next: .link))
      await gate.waiting()
    case .reconnection:
      let events = client.events(try Request(to: url + "events"))
      task = Task { await thrown { for try await _ in events {} } }
      await clock.sleepers(count: 1)
    case .store:
      task = run(client.send(try Request(to: url + "store")) { $0.cache = ResourcePolicy() })
      await gate.waiting()
    }
    return task
  }

  private func client(_ limiter: RequestScheduler) throws -> Client {
    let (clock, gate) = (clock, gate)
    let session = Authenticator(
      .bearer("old"),
      for: [try #require(URL(string: "http://a.test"))]
    ) { _, _ in
      try await gate.enter()
      return .bearer("new")
    }
    let demo = DemoTransport(directory: URL(filePath: "/"), clock: clock)
    let transport = wire.limited(by: limiter).authenticated(by: session, clock: clock)
    return Client {
      $0.transport = transport
      $0.retry = .standard
      $0.demo = demo
      $0.clock = clock
      $0.now = { clock.date }
      $0.activity = ClientActivity()
    }
  }

  private func run<Events: AsyncSequence & Sendable>(
    _ events: Events
  ) -> Task<FreshetError?, Never> where Events.Failure == FreshetError {
    Task {
      var iterator = events.makeAsyncIterator()
      var errors: [FreshetError] = []
      // It goes on after the failure, to see that there is no second one.
      for _ in 0..<20 {
        do throws(FreshetError) {
          _ = try await iterator.next(isolation: #isolation)
        } catch {
          errors.append(error)
        }
      }
      return errors.count == 1 ? errors.first : .noValue
    }
  }

  @Test(arguments: Place.allCases)
  func `a call that is cancelled while it waits ends once and leaves nothing running`(
    place: Place
  ) async throws {
    let task = try await call(place)

    task.cancel()
    let error = await task.value

    #expect(error == .cancelled)
    #expect(clock.now == VirtualClock().now, "it has waited for nothing")
    #expect(await wire.counted { $0.running == 0 })
    #expect(clock.sleeperCount == 0)
    // What the refresh waits for is its own; nobody else stands at the gate.
    #expect(gate.waitingCount == (place == .refresh ? 1 : 0))
    gate.open()
  }
}

extension DemoRoute {
  fileprivate static func slow(head: Duration = .zero, chunk: Duration = .zero) -> DemoRoute {
    var route = DemoRoute("slow", success: .bytes(Data("[1]".utf8)))
    (route.latency, route.chunkPause) = (head...head, chunk)
    return route
  }
}
