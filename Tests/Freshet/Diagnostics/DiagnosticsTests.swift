import Foundation
import FreshetTesting
import Synchronization
import Testing

@testable import Freshet

@Suite(.timeLimit(.minutes(5))) struct DiagnosticsTests {
  private let secret = "http://a.test/x?token=s3cret"

  @Test func `reports the events of a call in order, with levels`() async throws {
    let diagnostics = Diagnostics()
    let wire = ScriptedTransport(sequence: [
      ScriptedResponse(503), ScriptedResponse(302, headers: [.location: "/y?k=s3cret"]),
      .text("hello"),
    ])
    let transport = wire.retrying(generator: FixedFraction(fraction: 0))
      .diagnosed(by: diagnostics)

    _ = await transport.call(try Request(to: secret))

    #expect(
      diagnostics.recent.map(\.description) == [
        "#1 GET http://a.test/x: started",
        "#1 GET http://a.test/x: attempt 2 in 0 µs: status 503",
        "#1 GET http://a.test/x: redirected to http://a.test/y",
        "#1 GET http://a.test/x: answered 200",
        "#1 GET http://a.test/x: 200, 5 bytes in 0 µs",
      ]
    )
    #expect(diagnostics.recent.map(\.level) == [.debug, .notice, .notice, .debug, .info])
  }

  @Test func `each call ends once: complete, rejected, failed, cancelled, abandoned`() async throws
  {
    let diagnostics = Diagnostics(minimum: .info)
    let gate = Gate()
    let wire = ScriptedTransport(sequence: [
      .text("x"), ScriptedResponse(404), .failure(.connection(.lost, url: "http://a.test/x")),
      .text("x").waiting(for: gate), .text("x"),
    ])
    let transport = wire.diagnosed(by: diagnostics)
    let request = try Request(to: secret)

    for _ in 0..<3 { _ = await transport.call(request) }
    let cancelled = Task { await transport.call(request) }
    await gate.waiting()
    cancelled.cancel()
    _ = await cancelled.value
    var abandoned: Transfer.Iterator? = transport.send(request).makeAsyncIterator()
    _ = try await abandoned?.next()
    abandoned = nil

    #expect(diagnostics.recent.map(\.call) == [1, 2, 3, 4, 5])
    #expect(diagnostics.recent.map(\.level) == [.info, .warning, .error, .info, .info])
    #expect(diagnostics.recent.suffix(2).map(\.occurrence) == [.cancelled, .cancelled])
    #expect(!diagnostics.recent.description.contains("s3cret"))
  }

  @Test func `the trace of a call is current while its sink receives`() async throws {
    let traces = Mutex<[TraceContext?]>([])
    let sink = ClosureSink { _ in traces.withLock { $0.append(TraceContext.current) } }
    let client = Client {
      $0.transport = ScriptedTransport { _ in .text("x") }
      $0.diagnostics = Diagnostics(sinks: [sink])
    }
    let field = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    let trace = try #require(TraceContext(traceparent: field))

    try await TraceContext.$current.withValue(trace) {
      _ = try await client.send(Request()).value
      _ = try await client.resource(Request(to: "http://a.test/y")).value
    }

    #expect(traces.withLock { $0 } == Array(repeating: trace, count: 6))
  }

  @Test func `every reader gets the events from its beginning on`() async throws {
    let diagnostics = Diagnostics(minimum: .info)
    let transport = ScriptedTransport { _ in .text("x") }.diagnosed(by: diagnostics)
    var first = diagnostics.events.makeAsyncIterator()
    _ = await transport.call(try Request())
    var second = diagnostics.events.makeAsyncIterator()
    _ = await transport.call(try Request())

    #expect(try await first.next()?.call == 1)
    #expect(try await first.next()?.call == 2)
    #expect(try await second.next()?.call == 2)
  }

  @Test func `a slow reader misses the oldest events, and delays nobody`() async throws {
    let diagnostics = Diagnostics(minimum: .info, capacity: 3)
    let transport = ScriptedTransport { _ in .text("x") }.diagnosed(by: diagnostics)
    var reader = diagnostics.events.makeAsyncIterator()

    for _ in 0..<10 { _ = await transport.call(try Request()) }

    #expect(try await reader.next()?.call == 8)
    #expect(diagnostics.recent.map(\.call) == [8, 9, 10])
  }

  @Test func `the stream ends with its task`() async {
    let diagnostics = Diagnostics()
    let events = diagnostics.events
    let task = Task {
      var count = 0
      for await _ in events { count += 1 }
      return count
    }

    task.cancel()

    #expect(await task.value == 0)
  }

  @Test func `sinks get events of their level`() async throws {
    let sink = ListSink()
    let diagnostics = Diagnostics(minimum: .warning, sinks: [sink])
    let wire = ScriptedTransport(sequence: [.text("x"), ScriptedResponse(500)])
    let transport = wire.diagnosed(by: diagnostics)

    for _ in 0..<2 { _ = await transport.call(try Request()) }

    #expect(sink.lines == ["#2 GET http://a.test/x: 500, 0 bytes in 0 µs"])
  }

  @Test func `standard error gets a line with time and level`() async throws {
    let pipe = Pipe()
    let descriptor = pipe.fileHandleForWriting.fileDescriptor
    let sink = StandardErrorSink(minimum: .info, descriptor: descriptor)
    let diagnostics = Diagnostics(sinks: [sink], now: { VirtualClock().date })

    _ = await ScriptedTransport { _ in .text("x") }.diagnosed(by: diagnostics).call(try Request())
    try pipe.fileHandleForWriting.close()

    let text = String(
      decoding: try #require(try pipe.fileHandleForReading.readToEnd()),
      as: UTF8.self
    )
    #expect(text == "00:00:00.000 info #1 GET http://a.test/x: 200, 1 bytes in 0 µs\n")
  }

  #if !canImport(Darwin)
  @Test func `a reader of standard error that has gone does not end the process`() async {
    await #expect(processExitsWith: .success) {
      signal(SIGPIPE, SIG_DFL)
      let pipe = Pipe()
      try pipe.fileHandleForReading.close()

      for _ in 0..<2 {
        StandardErrorSink.write("x", to: pipe.fileHandleForWriting.fileDescriptor)
      }

      var waiting = sigset_t()
      sigpending(&waiting)
      exit(sigismember(&waiting, SIGPIPE) == 0 ? EXIT_SUCCESS : EXIT_FAILURE)
    }
  }
  #endif
}

private final class ListSink: DiagnosticSink {
  private let state = Mutex<[String]>([])

  var lines: [String] { state.withLock { $0 } }

  func receive(_ diagnostic: Diagnostic) {
    state.withLock { $0.append(diagnostic.description) }
  }
}
