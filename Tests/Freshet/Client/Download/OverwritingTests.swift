import Foundation
import FreshetTesting
import Testing

@testable import Freshet

/// Downloads whose bytes are copied into a file that is there, because it has several names.
@Suite(.timeLimit(.minutes(5))) struct OverwritingTests {
  private let sandbox = StoreSandbox()
  private let server: LoopbackServer
  private let film = GeneratedBytes(length: 9 << 20, seed: 5)

  init() throws {
    server = try LoopbackServer()
    server.route("/film", .generated(film, eTag: "\"v1\""))
    server.route(
      "/identity",
      .generated(film, eTag: "\"v1\"", headers: [.contentEncoding: "identity"])
    )
    server.route("/small", .text("water"))
    try Data("before, and longer".utf8).write(to: file)
    #expect(link(file.path, other.path) == 0)
  }

  private var file: URL { sandbox.url.appending(path: "film") }
  private var other: URL { sandbox.url.appending(path: "other") }

  /// The names in the directory, the hidden ones too.
  private var names: [String] {
    let names = try? FileManager.default.contentsOfDirectory(atPath: sandbox.url.path)
    return names?.sorted() ?? []
  }

  @Test func `a file with several names becomes as short as the new body`() async throws {
    _ = try await Client().download(server.url("/small"), to: file).value

    #expect(try Data(contentsOf: other) == Data("water".utf8))
    #expect(names == ["film", "other"])
  }

  @Test func `a file with several names stays as it is if there is no space for the new body`()
    async throws
  {
    let resource = try await Client().resource(at: server.url("/small")).value
    // Its length is more than what is free, and it takes no space.
    let large = sandbox.url.appending(path: "large")
    try OpenFile(creating: large.path, O_RDWR).truncate(to: 15 << 40)
    let body = ResourceBody(try BodyFile(opening: large))
    let response = resource.response.with(body: body, digest: nil)

    let error = await #expect(throws: FreshetError.self) {
      try await DownloadTarget.file(file).take(resource.with(response), from: nil)
    }

    #expect(error == FreshetError.file("there is no space left to write it", path: file.path))
    #expect(try Data(contentsOf: other) == Data("before, and longer".utf8))
  }

  #if !canImport(Darwin)
  @Test func `after a copy that breaks off, the next download only asks for the last byte`() async {
    await #expect(processExitsWith: .success) { try await Self.resumeAfterBrokenCopy("/film") }
  }

  @Test func `a copy of a body with the coding identity resumes as one without`() async {
    await #expect(processExitsWith: .success) { try await Self.resumeAfterBrokenCopy("/identity") }
  }

  private static func resumeAfterBrokenCopy(_ path: String) async throws {
    let tests = try OverwritingTests()
    let client = Client { ($0.coalescer, $0.memoryThreshold) = (nil, 64 << 10) }
    var isBroken = false
    do throws(FreshetError) {
      for try await event in client.download(tests.server.url(path), to: tests.file) {
        guard case .progress(let progress) = event, progress.completed == tests.film.length else {
          continue
        }
        limitFiles(to: 2 << 20)
      }
    } catch {
      isBroken = error.kind == "file"
    }
    limitFiles(to: .max)

    _ = try await client.download(tests.server.url(path), to: tests.file).value

    let isWhole = try Data(contentsOf: tests.other) == tests.film.bytes(in: 0..<tests.film.length)
    let range = tests.server.requests.last?.headers[.range]
    let isRight = isBroken && isWhole && range == "bytes=\(tests.film.length - 1)-"
    let isClean = tests.names == ["film", "other"]
    try? FileManager.default.removeItem(at: tests.sandbox.url)
    exit(isRight && isClean ? EXIT_SUCCESS : EXIT_FAILURE)
  }

  /// Lets files of this process grow to so many bytes.
  private static func limitFiles(to count: rlim_t) {
    signal(SIGXFSZ, SIG_IGN)
    var limit = rlimit(rlim_cur: count, rlim_max: rlim_t.max)
    guard setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else { exit(2) }
  }
  #endif
}
