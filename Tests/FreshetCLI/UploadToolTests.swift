import Foundation
import Freshet
import FreshetTesting
import TestSupport
import Testing

/// `freshet upload`, against a server that breaks it off.
@Suite(.timeLimit(.minutes(5))) struct UploadToolTests {
  let folder: TemporaryDirectory
  let service = UploadService()
  let server: LoopbackServer
  let content = GeneratedBytes(length: 3_000_000, seed: 9).bytes(in: 0..<3_000_000)

  init() throws {
    folder = try TemporaryDirectory()
    server = try LoopbackServer(["/files": .uploads(service), "/files/*": .uploads(service)])
    try content.write(to: folder.file("film"))
  }

  private var file: String { folder.file("film").path }
  private var journal: String { folder.file(".film.freshet-upload").path }
  private var url: String { server.url("/files").absoluteString }

  @Test(arguments: [[], ["--tus"]])
  func `a file is uploaded, and the status is told`(options: [String]) async throws {
    let run = try await Tool.run(["upload"] + options + [file, url])

    #expect(run.status == 0)
    #expect(run.error.contains("film: status 20"))
    #expect(service.uploads.map(\.bytes) == [content])
    #expect(!FileManager.default.fileExists(atPath: journal))
  }

  @Test func `--user sends credentials with each request`() async throws {
    let run = try await Tool.run("upload", "--tus", "-u", "ann:hush", file, url)

    #expect(run.status == 0)
    #expect(server.requests.count > 1)
    #expect(server.requests.allSatisfy { $0.headers[.authorization] == "Basic YW5uOmh1c2g=" })
  }

  @Test(arguments: [[], ["--tus"]])
  func `an upload whose process was killed is resumed by the same command`(
    options: [String]
  )
    async throws
  {
    service.inject([.stall(after: 2_000_000)])
    let arguments = ["upload", "--json"] + options + [file, url]
    let first = try RunningTool(arguments, reading: .output, other: folder.file("error"))
    // The last line of its progress may come before the server has all of it.
    try #require(
      try await eventually {
        service.uploads.last?.bytes.count == 2_000_000
          && FileManager.default.fileExists(atPath: journal)
      }
    )
    await first.kill()

    let second = try await Tool.run(arguments)

    #expect(second.status == 0)
    #expect(second.lines.contains { $0.contains("\"inherited\":2000000") })
    #expect(service.uploads.map(\.bytes) == [content])
    #expect(!FileManager.default.fileExists(atPath: journal))
  }

  @Test func `an interrupted upload is ended on the server`() async throws {
    service.inject([.cut(after: 1_000)])
    let broken = try await Tool.run("upload", "--retry", "0", "-s", file, url)
    let ended = try await Tool.run("upload", "--cancel", file)

    #expect(broken.status == 1)
    #expect(ended.status == 0)
    #expect(service.uploads.map(\.isRemoved) == [true])
    #expect(!FileManager.default.fileExists(atPath: journal))
  }

  #if canImport(Glibc)
  @Test(.enabled(if: TerminalRun.isPossible))
  func `a failure stands on the terminal in place of the progress`() async throws {
    service.inject([.cut(after: 1_000_000)])

    let run = try await TerminalRun(["upload", "--retry", "0", file, url])

    #expect(run.status == 1)
    #expect(run.lines.first?.hasPrefix("\(file): ") == true, "\(run.lines)")
  }
  #endif

  @Test(arguments: [[], ["one"], ["one", "two", "three"], ["--retry", "x", "one", "two"]])
  func `other arguments than a file and a URL are refused`(arguments: [String]) async throws {
    let run = try await Tool.run(["upload"] + arguments)
    #expect(run.status == 2)
  }
}
