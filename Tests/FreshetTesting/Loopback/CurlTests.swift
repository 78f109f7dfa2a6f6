import Foundation
import Freshet
import FreshetTesting
import TestSupport
import Testing

/// What curl, which is not ours, makes of the server's responses.
@Suite(.enabled(if: Curl.path != nil, "curl is not in PATH"), .timeLimit(.minutes(5)))
struct CurlTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  private var output: URL { directory.file("output") }

  private func body() throws -> Data {
    try Data(contentsOf: output)
  }

  @Test func `decodes the stored gzip`() async throws {
    let data = GeneratedBytes(length: 200_000).bytes(in: 0..<200_000)
    let server = try LoopbackServer(["/x": .content(data).gzipped()])

    #expect(try await Curl.run("--compressed", "-o", output.path, "/x", on: server) == 0)

    #expect(try body() == data)
    #expect(server.bytesWritten(path: "/x") > 200_000)
  }

  @Test func `resumes an interrupted download`() async throws {
    let film = GeneratedBytes(length: 1_000_000, seed: 9)
    let server = try LoopbackServer([
      "/x": .sequence([.generated(film).truncated(after: 300_000), .generated(film)])
    ])

    let partial = 18
    #expect(try await Curl.run("-o", output.path, "/x", on: server) == Int32(partial))
    #expect(try await Curl.run("-C", "-", "-o", output.path, "/x", on: server) == 0)

    #expect(try body() == film.bytes(in: 0..<film.length))
    #expect(server.requests.last?.headers[.range] == "bytes=300000-")
  }

  @Test func `accepts chunks with trailers on a kept connection`() async throws {
    let server = try LoopbackServer([
      "/x": .chunked([Data("one,".utf8), Data("two".utf8)], trailers: ["X-Sum": "7"])
    ])
    let url = server.url("/x").absoluteString

    #expect(try await Curl.run("-o", output.path, "-o", "/dev/null", url, "/x", on: server) == 0)

    #expect(try body() == Data("one,two".utf8))
    #expect(server.connectionCount == 1)
  }

  @Test func `uploads with and without a length`() async throws {
    let server = try LoopbackServer(["/x": .text("ok")])
    let data = GeneratedBytes(length: 3_000_000).bytes(in: 0..<3_000_000)
    let file = directory.file("upload")
    try data.write(to: file)

    #expect(try await Curl.run("-T", file.path, "-o", "/dev/null", "/x", on: server) == 0)
    #expect(
      try await Curl.run(
        "-T",
        file.path,
        "-H",
        "Transfer-Encoding: chunked",
        "-o",
        "/dev/null",
        "/x",
        on: server
      ) == 0
    )

    #expect(server.requests.map(\.body) == [data, data])
    #expect(server.requests.map { $0.headers[.contentLength] } == ["3000000", nil])
    #expect(server.requests[0].headers["Expect"] == "100-continue")
  }

  @Test func `follows redirects`() async throws {
    let server = try LoopbackServer(["/a": .redirect(to: "/b"), "/b": .text("b")])

    #expect(try await Curl.run("-L", "-o", output.path, "/a", on: server) == 0)

    #expect(try body() == Data("b".utf8))
  }
}

/// Runs curl.
enum Curl {
  static let path = Program.path("curl")

  /// Runs curl with these arguments, of which the last is a path on the server.
  static func run(_ arguments: String..., on server: LoopbackServer) async throws -> Int32 {
    let target = server.url(try #require(arguments.last)).absoluteString
    let options = ["-s", "--noproxy", "*", "-m", "20"] + arguments.dropLast()
    return try await ProgramRun(try #require(path), options + [target]).status
  }
}
