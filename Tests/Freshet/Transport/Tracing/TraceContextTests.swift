import Foundation
import Freshet
import FreshetTesting
import Testing

@Suite struct TraceContextTests {
  private static let traceID = "4bf92f3577b34da6a3ce929d0e0e4736"
  private static let parentID = "00f067aa0ba902b7"
  private static let valid = "00-\(traceID)-\(parentID)-01"

  @Test func `reads and writes the fields of version 00`() throws {
    let context = try #require(
      TraceContext(traceparent: Self.valid, tracestate: "congo=t61rcWkgMzE, rojo=00f067aa0ba902b7")
    )

    #expect(context.traceID == Self.traceID)
    #expect(context.parentID == Self.parentID)
    #expect(context.isSampled)
    #expect(context.state == "congo=t61rcWkgMzE,rojo=00f067aa0ba902b7")
    #expect(context.traceparent == Self.valid)
    #expect(
      context.headers == [
        "traceparent": Self.valid, "tracestate": "congo=t61rcWkgMzE,rojo=00f067aa0ba902b7",
      ]
    )
  }

  @Test(arguments: [
    "", "00", "00-\(traceID)-\(parentID)", "00-\(traceID)-\(parentID)-1", valid + "-x", valid + "0",
    "ff-\(traceID)-\(parentID)-01", "0-\(traceID)-\(parentID)-001", valid.uppercased(),
    "00-\(String(repeating: "0", count: 32))-\(parentID)-01", "00-\(traceID)-0000000000000000-01",
    "00_\(traceID)-\(parentID)-01", "00-\(traceID)-\(parentID)-0g", " " + valid, valid + " ",
    "00-é\(traceID.dropFirst(2))-\(parentID)-01", "01-\(traceID)-\(parentID)-01.x",
  ])
  func `ignores an invalid traceparent`(field: String) {
    #expect(TraceContext(traceparent: field) == nil)
    // A field's value has no spaces around it.
    let value = field.trimmingCharacters(in: .whitespaces)
    #expect(value != field || TraceContext(headers: ["traceparent": field]) == nil)
  }

  @Test(arguments: [
    ("01-\(traceID)-\(parentID)-01", true), ("cc-\(traceID)-\(parentID)-08-x-y", false),
  ])
  func `reads a later version as far as version 00 goes`(field: String, isSampled: Bool) throws {
    let context = try #require(TraceContext(traceparent: field))

    #expect(context.traceID == Self.traceID)
    #expect(context.isSampled == isSampled)
    #expect(context.traceparent == "00-\(Self.traceID)-\(Self.parentID)-0\(isSampled ? 1 : 0)")
  }

  @Test func `ignores several traceparent fields, and joins those of tracestate`() throws {
    var headers: HTTPHeaders = ["traceparent": Self.valid, "tracestate": "a=1"]
    headers.add("b=2", for: "tracestate")
    #expect(TraceContext(headers: headers)?.state == "a=1,b=2")

    headers.add(Self.valid, for: "traceparent")
    #expect(TraceContext(headers: headers) == nil)
    #expect(TraceContext(headers: [:]) == nil)
  }

  @Test(arguments: [
    ("a=1,,b=2 , ", "a=1,b=2"), ("a=1\t,\tb=2", "a=1,b=2"),
    ("fw529a3039@dt=x y", "fw529a3039@dt=x y"),
    ("0tenant@sys=1", "0tenant@sys=1"), ("a_-*/9=~", "a_-*/9=~"),
    ("A=1", ""), ("0=1", ""), ("a", ""), ("a=", ""), ("=1", ""), ("a=1,a=2", ""), ("a=1=2", ""),
    ("a=é", ""), ("a@b@c=1", ""), ("t@0=1", ""), ("a@=1", ""), ("@b=1", ""), ("a b=1", ""),
    (String(repeating: "a", count: 256) + "=1", String(repeating: "a", count: 256) + "=1"),
    (String(repeating: "a", count: 257) + "=1", ""),
    ("a=" + String(repeating: "v", count: 257), ""),
    ((0..<33).map { "k\($0)=1" }.joined(separator: ","), ""),
  ])
  func `keeps a valid tracestate and drops an invalid one`(field: String, kept: String) throws {
    let context = try #require(TraceContext(traceparent: Self.valid, tracestate: field))

    #expect(context.state == kept)
    #expect(context.traceID == Self.traceID)
  }

  @Test func `shortens a long tracestate by its long members, then by its last ones`() {
    let long = "long=" + String(repeating: "v", count: 200)
    let short = (0..<9).map { "k\($0)=" + String(repeating: "v", count: 57) }
    let field = ([long] + short).joined(separator: ",")

    let context = TraceContext(traceparent: Self.valid, tracestate: field)

    #expect(context?.state == short.prefix(8).joined(separator: ","))
  }

  @Test func `accepts any bytes without a failure`() {
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<2_000 {
      var bytes = Array(Self.valid.utf8)
      for _ in 0..<Int.random(in: 0...3, using: &generator) {
        bytes[Int.random(in: bytes.indices, using: &generator)] = .random(
          in: 0...255,
          using: &generator
        )
      }
      let text = String(decoding: bytes, as: UTF8.self)
      guard let context = TraceContext(traceparent: text, tracestate: text) else { continue }
      #expect(TraceContext(traceparent: context.traceparent) != nil)
    }
  }

  // MARK: - Requests

  private let wire = ScriptedTransport(sequence: [ScriptedResponse(503), .text("x")])

  @Test func `each attempt of a call carries the trace of its task with an id of its own`()
    async throws
  {
    let client = Client {
      $0.transport = wire.intercepted(by: TraceContextInterceptor())
      $0.retry = RetryPolicy { $0.baseDelay = .zero }
    }
    let parent = try #require(TraceContext(traceparent: Self.valid, tracestate: "a=1"))

    _ = try await TraceContext.$current.withValue(parent) {
      try await client.resource(Request(to: "http://a.test/x")).value
    }

    let sent = wire.requests.compactMap { TraceContext(headers: $0.headers) }
    #expect(sent.map(\.traceID) == [Self.traceID, Self.traceID])
    #expect(sent.map(\.state) == ["a=1", "a=1"])
    #expect(sent.map(\.isSampled) == [true, true])
    #expect(Set(sent.map(\.parentID) + [Self.parentID]).count == 3)
  }

  @Test func `each iteration of a sequence has an id of its own`() async throws {
    let client = Client { $0.transport = wire.intercepted(by: TraceContextInterceptor()) }
    let pipeline = client.send(try Request(to: "http://a.test/x"))

    try await TraceContext.$current.withValue(TraceContext(traceparent: Self.valid)) {
      for _ in 0..<2 { _ = try await pipeline.value }
    }

    #expect(Set(wire.requests.map { $0.headers["traceparent"] }).count == 2)
  }

  @Test func `outside of a trace it sends nothing, or begins a trace`() async throws {
    let request = try Request(to: "http://a.test/x")
    let silent = wire.intercepted(by: TraceContextInterceptor())
    let root = TraceContextInterceptor(
      outsideOfTraces: .newTrace(isSampled: false),
      generator: SeededGenerator(seed: 1)
    )

    _ = await silent.call(request)
    _ = await wire.intercepted(by: root).call(request)

    #expect(wire.requests.map { $0.headers.contains("traceparent") } == [false, true])
    let begun = try #require(wire.requests.last.flatMap { TraceContext(headers: $0.headers) })
    #expect(!begun.isSampled)
  }

  @Test func `keeps a request's own traceparent`() async throws {
    let request = try Request(to: "http://a.test/x") { $0.headers["traceparent"] = "own" }
    let transport = wire.intercepted(by: TraceContextInterceptor())

    await TraceContext.$current.withValue(TraceContext(traceparent: Self.valid)) {
      _ = await transport.call(request)
    }

    #expect(wire.requests.map { $0.headers["traceparent"] } == ["own"])
  }
}
