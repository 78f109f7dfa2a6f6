import Foundation
import Freshet
import FreshetTesting
import TestSupport
import Testing

/// `freshet socket` as people and scripts see it.
@Suite(.timeLimit(.minutes(2))) struct SocketTests {
  private static let echo = LoopbackServer.Answer.socket(protocols: ["two"]) { peer in
    for try await message in peer { try await peer.send(message) }
  }

  private func run(_ arguments: [String], input: String) async throws -> ProgramRun {
    try await ProgramRun(
      Program.built("freshet"),
      ["socket"] + arguments,
      input: Data(input.utf8)
    )
  }

  @Test func `sends lines, prints messages, and ends with the input`() async throws {
    let server = try LoopbackServer(["/echo": Self.echo])
    let url = server.url("/echo").absoluteString.replacing("http:", with: "ws:")

    let result = try await run(
      ["--protocol", "one", "--protocol", "two", "-H", "X-A: b", url],
      input: "hello\n\nfinal"
    )

    #expect(result.text == "hello\n\nfinal\n")
    #expect(result.status == 0)
    let request = try #require(server.requests.first)
    #expect(request.headers["X-A"] == "b")
    #expect(request.headers[.secWebSocketProtocol] == "one, two")
  }

  @Test func `says why it was refused, and fails`() async throws {
    let server = try LoopbackServer(["/": .status(403)])
    let result = try await run([server.url("/").absoluteString], input: "hello\n")

    #expect(result.status == 1)
    #expect(result.error.contains("403"))
  }

  @Test(arguments: [[], ["ws://a.test", "ws://b.test"], ["--nothing", "ws://a.test"]])
  func `refuses wrong arguments`(arguments: [String]) async throws {
    #expect(try await Tool.run(["socket"] + arguments).status == 2)
  }
}
