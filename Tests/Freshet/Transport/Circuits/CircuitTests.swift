import Foundation
import FreshetTesting
import Testing

@testable import Freshet

@Suite(.timeLimit(.minutes(5))) struct CircuitTests {
  private let clock = VirtualClock()

  private func circuit() -> Circuit {
    var policy = CircuitPolicy()
    policy.failures = 2
    policy.pause = .seconds(10)
    return Circuit(policy)
  }

  private func fail(_ circuit: inout Circuit, now: Duration = .zero) throws {
    try record(.failure, &circuit, now: now)
  }

  private func record(
    _ outcome: Circuit.Outcome,
    _ circuit: inout Circuit,
    now: Duration = .zero
  ) throws {
    let pass = circuit.admit(now: now)
    circuit.record(outcome, of: try #require(pass), now: now)
  }

  @Test func `opens after a number of failures in a row`() throws {
    var circuit = circuit()
    try fail(&circuit)
    try record(.success, &circuit)
    try fail(&circuit)
    #expect(circuit.phase == .closed(failures: 1))
    try record(.unknown, &circuit)
    try fail(&circuit)

    #expect(circuit.phase == .open(until: .seconds(10)))
    let early = circuit.admit(now: .seconds(9))
    #expect(early == nil)
  }

  @Test func `forgets hosts that may be asked once there are many`() throws {
    var policy = CircuitPolicy()
    policy.failures = 1
    policy.pause = .seconds(10)
    let board = CircuitBoard(policy)
    func fail(_ name: String, now: Duration) throws {
      let url = try #require(URL(string: "http://\(name).test/"))
      let host = try #require(URLOrigin(url))
      let pass = try #require(board.admit(host, now: now))
      board.record(.failure, of: pass, at: host, now: now)
    }
    for number in 0..<1_000 { try fail("h\(number)", now: .zero) }
    #expect(board.count == 1_000)

    // They are looked through when there are twice as many as after the last time.
    for number in 0..<1_100 { try fail("n\(number)", now: .seconds(11)) }
    #expect(board.count <= 1_100)
  }

  @Test func `lets one trial request through, and closes when it succeeds`() throws {
    var circuit = circuit()
    try fail(&circuit)
    try fail(&circuit)

    let probePass = circuit.admit(now: .seconds(10))
    let probe = try #require(probePass)
    let second = circuit.admit(now: .seconds(11))
    #expect(second == nil)
    circuit.record(.success, of: probe, now: .seconds(12))

    #expect(circuit.phase == .closed(failures: 0))
  }

  @Test func `says when the next probe is sent, and nothing of one that is under way`() throws {
    var circuit = circuit()
    #expect(circuit.pause(now: .zero) == .zero)
    try fail(&circuit)
    try fail(&circuit)

    #expect(circuit.pause(now: .seconds(4)) == .seconds(6))
    #expect(circuit.pause(now: .seconds(11)) == .zero)
    _ = circuit.admit(now: .seconds(11))
    #expect(circuit.pause(now: .seconds(11)) == .zero)
  }

  @Test func `an open circuit has a kind of its own in diagnostics`() async throws {
    let diagnostics = Diagnostics(minimum: .error)
    let wire = ScriptedTransport { _ in ScriptedResponse(503) }
    let transport = wire.breakingCircuits(clock: clock).diagnosed(by: diagnostics)

    for _ in 0..<6 { _ = await transport.call(try Request()) }

    try #require(diagnostics.recent.count == 1)
    guard case .failed("suspended", let text) = diagnostics.recent[0].occurrence else {
      Issue.record("\(diagnostics.recent)")
      return
    }
    #expect(text.contains("try again in 30 s"))
  }

  @Test
  func `opens again when the trial fails, and allows another one when it has no result`()
    throws
  {
    var circuit = circuit()
    try fail(&circuit)
    try fail(&circuit)
    try fail(&circuit, now: .seconds(10))
    #expect(circuit.phase == .open(until: .seconds(20)))

    let probePass = circuit.admit(now: .seconds(20))
    let probe = try #require(probePass)
    circuit.record(.unknown, of: probe, now: .seconds(21))

    let next = circuit.admit(now: .seconds(21))
    #expect(next != nil)
  }

  @Test func `results of an earlier period do not count`() throws {
    var circuit = circuit()
    let oldPass = circuit.admit(now: .zero)
    let old = try #require(oldPass)
    try fail(&circuit)
    try fail(&circuit)

    circuit.record(.success, of: old, now: .seconds(1))
    #expect(circuit.phase == .open(until: .seconds(10)))
    _ = circuit.admit(now: .seconds(10))
    circuit.record(.failure, of: old, now: .seconds(11))

    #expect(circuit.phase == .halfOpen)
  }

  @Test func `fails immediately while it is open, and for that host only`() async throws {
    let wire = ScriptedTransport { request in
      request.url.host() == "a.test" ? ScriptedResponse(503) : .text("x")
    }
    let transport = wire.breakingCircuits(clock: clock)
    for _ in 0..<5 { #expect(try await transport.call(Request()).status == 503) }

    let refused = await transport.call(try Request())
    let other = await transport.call(try Request(to: "http://b.test/"))
    clock.advance(by: .seconds(30))
    let probe = await transport.call(try Request())
    clock.advance(by: .seconds(12))
    let again = await transport.call(try Request())

    #expect(refused.error == .connection(.suspended(for: .seconds(30)), url: "http://a.test/x"))
    #expect(other.status == 200)
    #expect(probe.status == 503)
    #expect(again.error == .connection(.suspended(for: .seconds(18)), url: "http://a.test/x"))
    #expect(wire.counts.started == 7)
  }

  @Test func `closes when the host responds again`() async throws {
    let lost = ScriptedResponse.failure(.connection(.lost, url: "u"))
    let wire = ScriptedTransport(sequence: [lost, lost, lost, lost, lost, .text("x")])
    let transport = wire.breakingCircuits(clock: clock)
    for _ in 0..<5 { _ = await transport.call(try Request()) }
    clock.advance(by: .seconds(30))

    for _ in 0..<3 { #expect(try await transport.call(Request()).text == "x") }
  }

  @Test func `closes with the head of the trial, whose body may be slow`()
    async throws
  {
    let gate = Gate()
    let lost = ScriptedResponse.failure(.connection(.lost, url: "u"))
    let slow = ScriptedResponse(body: Data("slow".utf8)).waiting(for: gate, at: .afterChunks(0))
    let wire = ScriptedTransport(sequence: [lost, lost, lost, lost, lost, slow, .text("x")])
    let transport = wire.breakingCircuits(clock: clock)
    for _ in 0..<5 { _ = await transport.call(try Request()) }
    clock.advance(by: .seconds(30))
    let request = try Request()
    let probe = Task { await transport.call(request) }
    await gate.waiting()

    #expect(await transport.call(request).text == "x")
    gate.open()
    #expect(await probe.value.text == "slow")
  }

  @Test func `a body that fails after its head counts as a failure while the circuit is closed`()
    async throws
  {
    let lost = FreshetError.connection(.lost, url: "u")
    let wire = ScriptedTransport { _ in
      ScriptedResponse(body: Data("x".utf8)).failing(with: lost, at: .afterChunks(1))
    }
    let transport = wire.breakingCircuits(clock: clock)

    for _ in 0..<5 { #expect(try await transport.call(Request()).error == lost) }

    let kind = await transport.call(try Request()).error
    #expect(kind == .connection(.suspended(for: .seconds(30)), url: "http://a.test/x"))
  }

  @Test func `forgets a host that responds, also after an open circuit`() throws {
    var circuit = circuit()
    #expect(circuit.isBlank)
    try fail(&circuit)
    try fail(&circuit)
    let pass = circuit.admit(now: .seconds(10))
    #expect(!circuit.isBlank)
    circuit.record(.answered, of: try #require(pass), now: .seconds(11))
    #expect(!circuit.isBlank)

    circuit.record(.success, of: try #require(pass), now: .seconds(12))

    #expect(circuit.isBlank)
  }

  @Test func `an unfinished iteration does not count`() async throws {
    let wire = ScriptedTransport { _ in .text("x") }
    let transport = wire.breakingCircuits(clock: clock)

    for _ in 0..<10 {
      var events = transport.send(try Request()).makeAsyncIterator()
      _ = try await events.next()
    }

    #expect(try await transport.call(Request()).status == 200)
  }

  @Test func `does not retry a suspended host`() async throws {
    let wire = ScriptedTransport { _ in ScriptedResponse(503) }
    let transport = wire.breakingCircuits(clock: clock)
      .retrying(generator: FixedFraction(fraction: 0))

    let first = await transport.call(try Request())
    let second = await transport.call(try Request())

    #expect(first.status == 503)
    #expect(second.error == .connection(.suspended(for: .seconds(30)), url: "http://a.test/x"))
    #expect(wire.counts.started == 5)
  }
}
