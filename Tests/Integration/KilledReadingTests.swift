import Foundation
import Freshet
import FreshetTesting
import TestSupport
import Testing

/// Readings at random places whose processes are killed.
@Suite struct KilledReadingTests {
  let folder: TemporaryDirectory
  let server: LoopbackServer
  /// 2 GiB with `FRESHET_LARGE_FILE`, sparse in the store.
  static let length: Int64 =
    ProcessInfo.processInfo.environment["FRESHET_LARGE_FILE"] == nil ? 96 << 20 | 77 : 2 << 30 | 77
  static let rounds = 12

  init() throws {
    folder = try TemporaryDirectory()
    server = try LoopbackServer()
  }

  private func route(_ seed: UInt64) {
    server.route(
      "/film",
      .generated(
        GeneratedBytes(length: Self.length, seed: seed),
        eTag: "\"v\(seed)\"",
        cacheControl: "max-age=600"
      )
    )
  }

  /// Reads until it is killed.
  ///
  /// - Returns: What it has been given of a version, and what it has asked for.
  private func read(
    _ version: UInt64,
    round: Int
  ) async throws -> (read: [Range<Int64>], asked: [Range<Int64>]) {
    let count = server.requestCount
    let url = server.url("/film").absoluteString
    let end = try await ProbeRun.run(
      "bytes",
      url,
      folder.file("store").path,
      "\(round)",
      "\(Self.length)"
    )
    try #require(end.wasKilled && end.status == SIGKILL, "round \(round): \(end.error)")
    let read = end.lines.compactMap { line -> Range<Int64>? in
      let numbers = line.split(separator: " ").compactMap { Int64($0) }
      // What is fresh of the version before counts no more when this one is found.
      return numbers.count == 3 && numbers[0] == version ? numbers[1]..<numbers[2] : nil
    }
    let asked = server.requests.dropFirst(count)
      .compactMap { $0.headers[.range].flatMap(ByteRange.init)?.positions(in: Self.length) }
    return (read, asked)
  }

  @Test(.timeLimit(.minutes(5)))
  func `a killed process requests no received byte again, and mixes no versions`()
    async throws
  {
    for version in [1, 2] as [UInt64] {
      route(version)
      var stored: [Range<Int64>] = []
      for round in 1...Self.rounds {
        let (read, asked) = try await read(version, round: Int(version) * 1_000 + round)
        let again = asked.filter { asked in stored.contains(where: asked.overlaps) }
        #expect(again.isEmpty, "round \(round) of version \(version)")
        stored += read
      }
      #expect(stored.count > Self.rounds)
    }
    await server.stop()
  }
}
