#if os(Linux)
import Foundation
import FreshetTesting
import Testing

@testable import Freshet

/// Transfers that begin in the hands of their readers, because such ones have been quick.
@Suite(.timeLimit(.minutes(1))) struct CurlDrivingTests {
  /// For this one, every transfer is quick.
  let transport = CurlTransport { $0.quickTransfer = 60_000_000_000 }

  private func body(_ url: URL) async throws -> Data {
    let client = Client {
      $0.transport = transport
      $0.memory = nil
    }
    return try await client.send(Request(url)).value.value
  }

  /// Lets the transport learn that its transfers are quick.
  private func learn(_ url: URL) async throws {
    for _ in 0..<6 { _ = try await body(url) }
  }

  @Test func `begins with the readers once four transfers have been quick`() async throws {
    let server = try LoopbackServer(["/small": .text("small")])

    for _ in 0..<4 { #expect(try await body(server.url("/small")).count == 5) }
    #expect(transport.engine.loanCount == 0)
    for _ in 0..<8 { #expect(try await body(server.url("/small")).count == 5) }

    #expect(transport.engine.loanCount > 0)
    #expect(server.connectionCount == 1)
  }

  @Test func `never begins with readers whose transfers are not quick`() async throws {
    let server = try LoopbackServer(["/small": .text("small").delayed(by: .milliseconds(1))])
    let transport = CurlTransport()

    for _ in 0..<8 {
      for try await _ in transport.send(Request(server.url("/small"))) {}
    }

    #expect(transport.engine.loanCount == 0)
  }

  @Test func `what takes longer goes on with the thread`() async throws {
    let server = try LoopbackServer([
      "/small": .text("small"),
      "/large": .generated(GeneratedBytes(length: 3 << 20, seed: 1)),
      "/slow": .text("slow").delayed(by: .milliseconds(20)),
    ])

    try await learn(server.url("/small"))
    for _ in 0..<4 {
      #expect(try await body(server.url("/large")).count == 3 << 20)
      try await learn(server.url("/small"))
      #expect(try await body(server.url("/slow")) == Data("slow".utf8))
      try await learn(server.url("/small"))
    }

    #expect(transport.engine.loanCount > 8)
  }

  @Test func `transfers that meet all come whole`() async throws {
    let server = try LoopbackServer(["/small": .text("small")])
    try await learn(server.url("/small"))

    let counts = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<8 {
        group.addTask {
          var bytes = 0
          for _ in 0..<50 { bytes += try await body(server.url("/small")).count }
          return bytes
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }

    #expect(counts == Array(repeating: 250, count: 8))
  }

  @Test func `cancelling one that waits ends it`() async throws {
    let gate = Gate()
    let server = try LoopbackServer([
      "/small": .text("small"), "/still": .text("").delayed(until: gate),
    ])
    try await learn(server.url("/small"))

    let task = Task { await thrown { try await body(server.url("/still")) } }
    _ = await server.received(path: "/still")
    task.cancel()

    #expect(await task.value == .cancelled)
    gate.open()
    #expect(try await body(server.url("/small")).count == 5)
  }

  @Test func `a deadline counts whoever drives`() async throws {
    let gate = Gate()
    let server = try LoopbackServer([
      "/small": .text("small"), "/still": .text("").delayed(until: gate),
    ])
    try await learn(server.url("/small"))
    var request = Request(server.url("/still"))
    request.timeouts.firstByte = .milliseconds(50)

    let error = await thrown { for try await _ in transport.send(request) {} }

    gate.open()
    #expect(error == .timedOut(.firstByte, url: server.url("/still").absoluteString))
  }

  @Test func `a connection that breaks is an error and no signal`() async throws {
    let server = try LoopbackServer([
      "/small": .text("small"), "/broken": .text("x").reset(after: 0),
    ])
    try await learn(server.url("/small"))

    let error = await thrown { try await body(server.url("/broken")) }

    #expect(error?.kind == "connection")
  }
}
#endif
