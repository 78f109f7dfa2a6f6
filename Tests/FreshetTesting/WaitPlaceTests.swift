import Freshet
import Testing

@testable import FreshetTesting

@Suite(.timeLimit(.minutes(5))) struct WaitPlaceTests {
  @Test func `a cancelled wait at a gate says where it is and how many wait`() async {
    let gate = Gate()

    let lines = await told { await gate.waiting(count: 2, fileID: "App/News.swift", line: 7) }

    #expect(lines == ["App/News.swift:7: cancelled while waiting for 2 at a gate, where 0 wait"])
  }

  @Test func `a cancelled wait for sleepers says how many sleep`() async {
    let clock = VirtualClock()

    let lines = await told { await clock.sleepers(count: 1, fileID: "A.swift", line: 7) }

    let words = "1 to sleep on a virtual clock, where 0 sleep"
    #expect(lines == ["A.swift:7: cancelled while waiting for \(words)"])
  }

  @Test func `a cancelled wait for counts has the counts`() async {
    let transport = ScriptedTransport([:])

    let lines = await told {
      await transport.counted({ $0.finished == 1 }, fileID: "A.swift", line: 7)
    }

    let words =
      "other counts of a scripted transport than 0 started, 0 finished, 0 failed and 0 cancelled"
    #expect(lines == ["A.swift:7: cancelled while waiting for \(words)"])
  }

  @Test func `a cancelled wait for a request has those that came instead`() async throws {
    let server = try LoopbackServer(["/a": .text("here")])
    _ = try await Client().resource(at: server.url("/a?token=s3cret")).value

    let lines = await told {
      await server.received(path: "/b", count: 2, fileID: "A.swift", line: 7)
      await server.wrote(9, path: "/b", fileID: "A.swift", line: 8)
    }

    await server.stop()
    #expect(
      lines == [
        "A.swift:7: cancelled while waiting for request 2 for /b; the server has received GET /a",
        "A.swift:8: cancelled while waiting for 9 bytes for /b, where 0 are written;"
          + " the server has received GET /a",
      ]
    )
  }

  @Test func `a wait that ends says nothing`() async {
    let gate = Gate()
    let passing = Task { try await gate.enter() }

    let lines = await told(cancelling: false) { await gate.waiting() }

    #expect(lines == [])
    passing.cancel()
  }

  /// Returns what is told about a wait, which is cancelled.
  private func told(
    cancelling isCancelled: Bool = true,
    _ wait: @escaping @Sendable () async -> some Sendable
  ) async -> [String] {
    let lines = Watched<[String]>([])
    let tell: @Sendable (String) -> Void = { line in lines.update { $0.append(line) } }
    let waiting = WaitPlace.$tell.withValue(tell) { Task { await wait() } }
    if isCancelled { waiting.cancel() }
    _ = await waiting.value
    return lines.read { $0 }
  }
}
