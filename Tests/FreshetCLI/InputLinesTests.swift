import Foundation
import Freshet
import FreshetTesting
import TestSupport
import Testing

/// Standard input as other processes may leave it.
@Suite(.timeLimit(.minutes(5))) struct InputLinesTests: ToolSuite {
  let server: LoopbackServer
  let folder: TemporaryDirectory

  init() throws {
    server = try LoopbackServer(["/one": .text("1\n"), "/two": .text("2\n"), "/tw": .text("half")])
    folder = try TemporaryDirectory()
  }

  @Test func `waits for the rest of a line where input is non-blocking`() async throws {
    let input = Pipe()
    let reading = input.fileHandleForReading.fileDescriptor
    #expect(fcntl(reading, F_SETFL, fcntl(reading, F_GETFL) | O_NONBLOCK) == 0)
    let output = folder.file("output")
    let tool = try ChildProcess(
      Program.built("freshet"),
      ["fetch", "--no-plan", "--from", "-"],
      standards: Standards(input: .pipe(input), output: .file(output))
    )

    input.fileHandleForWriting.write(Data("\(url("/one"))\r\n\(url("/tw"))".utf8))
    await server.received(path: "/one")
    input.fileHandleForWriting.write(Data("o".utf8))
    try input.fileHandleForWriting.close()

    #expect(await tool.end().status == 0)
    #expect(try String(contentsOf: output, encoding: .utf8) == "1\n2\n")
    #expect(server.requests.map(\.path) == ["/one", "/two"])
  }

  @Test(arguments: [["fetch", "--no-plan", "--from", "-"], ["fetch", "-d", "@-"], ["socket"]])
  func `input that cannot be read is a failure, and no end`(arguments: [String]) async throws {
    server.route("/two", .socket { peer in for try await _ in peer {} })
    let error = folder.file("error")
    let target = arguments.contains("--from") ? [] : [url("/two")]
    let tool = try ChildProcess(
      Program.built("freshet"),
      arguments + target,
      standards: Standards(input: .file(folder.url), error: .file(error))
    )

    #expect(await tool.end().status == 1)
    #expect(try String(contentsOf: error, encoding: .utf8).contains("standard input"))
  }
}
