import Foundation
import Freshet
import FreshetTesting
import TestSupport
import Testing

/// What a disk store is worth when its processes are killed, and when there are many of them.
@Suite struct CrashTests {
  let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
  }

  private var store: String { folder.file("store").path }

  /// Two hundred in all and half as many by twos, or as many as the environment says.
  static let kills = ProcessInfo.processInfo.environment["FRESHET_KILLS"].flatMap { Int($0) } ?? 200

  @Test(.timeLimit(.minutes(kills > 1_000 ? 600 : 5)), arguments: ["full", "small"])
  func `acknowledged responses survive kill -9 at any moment completely`(size: String) async throws
  {
    let log = folder.file("log").path

    for round in 1...Self.kills / 2 {
      let end = try await ProbeRun.run("crash", store, log, "\(round)", size)
      try #require(end.wasKilled && end.status == SIGKILL, "round \(round): \(end.error)")
    }

    let last = try await ProbeRun.run("check", store, log, "0", size)
    #expect(last.status == 0 && !last.wasKilled, "\(last.error)")
    #expect(last.itemCount > 0)
    Self.tell(Self.kills / 2)
  }

  /// Tells the laboratory how many there were.
  private static func tell(_ count: Int) {
    guard ProcessInfo.processInfo.environment["FRESHET_KILLS"] != nil else { return }
    print("= \(count) kills")
  }

  @Test(.timeLimit(.minutes(kills > 1_000 ? 600 : 5)))
  func `acknowledged responses of two processes survive although both are killed`()
    async throws
  {
    let logs = [folder.file("log0").path, folder.file("log1").path]

    for round in 1...Self.kills / 4 {
      async let first = ProbeRun.run(
        "crash",
        store,
        logs[0],
        "\(round)",
        "full",
        "0",
        "2"
      )
      async let second = ProbeRun.run(
        "crash",
        store,
        logs[1],
        "\(round + 7_777)",
        "full",
        "1",
        "2"
      )
      for end in try await [first, second] {
        try #require(end.wasKilled && end.status == SIGKILL, "round \(round): \(end.error)")
      }
    }

    for (lane, log) in logs.enumerated() {
      let last = try await ProbeRun.run(
        "check",
        store,
        log,
        "0",
        "full",
        "\(lane)",
        "2"
      )
      #expect(last.status == 0 && !last.wasKilled, "\(last.error)")
      #expect(last.itemCount > 0)
    }
    Self.tell(Self.kills / 4 * 2)
  }

  @Test func `a store that cannot be written is read, and fails no fetch`() async throws {
    let end = try await ProbeRun.run("readonly", folder.url.path)

    #expect(end.status == 0 && !end.wasKilled, "\(end.error)")
    #expect(end.text.hasPrefix("read"))
  }

  @Test func `eight processes use one store, and none gets another's body`() async throws {
    let ends = try await withThrowingTaskGroup(of: ProgramRun.self) { group in
      for seed in 1...8 {
        group.addTask { try await ProbeRun.run("hammer", store, "\(seed)", "150") }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }

    for end in ends {
      #expect(end.status == 0 && !end.wasKilled, "\(end.error)")
      #expect(end.text.hasPrefix("hits "))
    }
    let disk = DiskStore(directory: URL(filePath: store))
    let verification = try await disk.verify()
    #expect(verification.damaged.isEmpty)
    #expect(try await disk.statistics().count == verification.count)
    await disk.close()
  }

  @Test func `a download resumes after its process was killed`() async throws {
    let film = GeneratedBytes(length: 20 << 20, seed: 3)
    let gate = Gate()
    let server = try LoopbackServer([
      "/film": .sequence([
        .generated(film, eTag: "\"v1\"", cacheControl: "max-age=3600")
          .held(after: 12 << 20, until: gate),
        .generated(film, eTag: "\"v1\"", cacheControl: "max-age=3600"),
      ])
    ])
    let url = server.url("/film")
    let file = folder.file("film")
    let probe = try ProbeProcess("partial", url.absoluteString, store)
    #expect(try await probe.number("MiB") == 12)
    probe.kill()
    _ = try await probe.end()

    let end = try await ProbeRun.run("file", url.absoluteString, store, file.path)

    #expect(end.status == 0, "\(end.error)")
    #expect(try Data(contentsOf: file) == film.bytes(in: 0..<film.length))
    let asked = try #require(server.requests.dropFirst().first)
    let range = try #require(asked.headers[.range].flatMap(ByteRange.init))
    let positions = try #require(range.positions(in: film.length))
    // From the last checkpoint on; there is one every four mebibytes and a piece.
    #expect((7 << 20...12 << 20).contains(positions.lowerBound))
    #expect(asked.headers[.ifRange] == "\"v1\"")
    await server.stop()
  }

  @Test func `a download to a file resumes after kill -9, without a store`() async throws {
    let film = GeneratedBytes(length: 20 << 20, seed: 4)
    let gate = Gate()
    let server = try LoopbackServer([
      "/film": .sequence([
        .generated(film, eTag: "\"v1\"").held(after: 12 << 20, until: gate),
        .generated(film, eTag: "\"v1\""),
      ])
    ])
    let url = server.url("/film")
    let file = folder.file("film")
    try Data("before".utf8).write(to: file)
    let probe = try ProbeProcess("download", url.absoluteString, file.path)
    #expect(try await probe.number("MiB") == 12)
    probe.kill()
    _ = try await probe.end()
    #expect(try Data(contentsOf: file) == Data("before".utf8))

    let end = try await ProbeRun.run("download", url.absoluteString, file.path)

    #expect(end.status == 0, "\(end.error)")
    #expect(try Data(contentsOf: file) == film.bytes(in: 0..<film.length))
    let range = server.requests.dropFirst().first?.headers[.range].flatMap(ByteRange.init)
    let start = try #require(range?.positions(in: film.length)).lowerBound
    // From the last checkpoint on; there is one every four mebibytes and a piece.
    #expect((7 << 20...12 << 20).contains(start))
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    #expect(names == ["film"])
    await server.stop()
  }
}

extension ProgramRun {
  /// The number of items that a check has found.
  fileprivate var itemCount: Int {
    lines.first { $0.hasPrefix("items ") }.flatMap { Int($0.dropFirst(6)) } ?? 0
  }
}
