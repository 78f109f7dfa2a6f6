#if !canImport(Darwin)
import Foundation
import Freshet
import FreshetTesting
import Testing

/// All decorators at once, over sockets.
@Suite(.timeLimit(.minutes(5))) struct DecoratorsOnTheWireTests {
  @Test func `a full stack delivers the same as the bare transport`() async throws {
    let server = try LoopbackServer(["/big": .generated(GeneratedBytes(length: 3 << 20))])
    let wire = DefaultTransport()
    let (activity, diagnostics, recorder) = (ClientActivity(), Diagnostics(), HARRecorder())
    let stack =
      wire
      .storingCookies(in: CookieJar())
      .breakingCircuits()
      .limited()
      .authenticated(by: Authenticator(.bearer("t"), for: [server.url("/")]))
      .retrying()
      .recording(to: recorder)
      .diagnosed(by: diagnostics)
      .tracked(by: activity)
    let plain = Client { $0.transport = wire }
    let decorated = Client { $0.transport = stack }

    let expected = try await plain.send(Request(server.url("/big"))).value
    let received = try await decorated.send(Request(server.url("/big"))).value

    #expect(received.value == expected.value)
    #expect(server.requests.last?.headers[.authorization] == "Bearer t")
    #expect(activity.isIdle)
    #expect(diagnostics.recent.last?.level == .info)
    #expect(recorder.count == 1)
    await server.stop()
  }

  @Test func `cancelling at any step ends the whole stack`() async throws {
    let server = try LoopbackServer(["/never": .text("x").delayed(until: Gate())])
    let (activity, diagnostics) = (ClientActivity(), Diagnostics(minimum: .info))
    let limiter = RequestScheduler { $0.perHost = 6 }
    let stack = DefaultTransport()
      .limited(by: limiter)
      .retrying()
      .diagnosed(by: diagnostics)
      .tracked(by: activity)
    let request = Request(server.url("/never"))
    let tasks = (0..<20).map { _ in Task { await stack.call(request) } }
    while limiter.runningCount < 6 || limiter.waitingCount < 14 { await Task.yield() }

    activity.cancelAll()

    for task in tasks {
      let result = await task.value
      #expect(result.error == .cancelled)
      #expect(result.ends == 1)
    }
    #expect(limiter.runningCount == 0)
    #expect(limiter.waitingCount == 0)
    #expect(diagnostics.recent.map(\.occurrence) == Array(repeating: .cancelled, count: 20))
    await server.stop()
  }

  @Test func `a server that recovers is asked again`() async throws {
    let server = try LoopbackServer()
    server.route("/x", .sequence([.status(503), .status(429), .text("hello")]))
    let transport = DefaultTransport().retrying(generator: FixedFraction(fraction: 0))

    let result = await transport.call(Request(server.url("/x")))

    #expect(result.text == "hello")
    #expect(server.requests.count == 3)
    await server.stop()
  }
}
#endif
