import Foundation
import Freshet
import FreshetTesting
import Synchronization
import TestSupport
import Testing

@testable import FreshetCLI

/// `freshet stats`, and the figures that it prints.
@Suite struct StatsTests {
  private let folder: TemporaryDirectory
  private var store: URL { folder.file("store") }

  init() throws {
    folder = try TemporaryDirectory()
  }

  /// Stores a response as if some time had passed since.
  private func keep(_ url: String, _ length: Int, _ headers: HTTPHeaders, age: Double) async throws
  {
    let date = Date() - age
    let disk = DiskStore(directory: store, now: { date })
    let request = try Request(url)
    _ = try await disk.keep(
      StoredResponse(
        key: CacheKey(request),
        varying: .none,
        head: ResponseHead(status: .ok, headers: headers, url: request.url),
        body: ResourceBody(Data(count: length)),
        requestTime: date,
        responseTime: date
      )
    )
    await disk.close()
  }

  private func entries() async throws -> [DiskStore.Entry] {
    let disk = DiskStore(directory: store)
    var entries: [DiskStore.Entry] = []
    for try await entry in disk.entries { entries.append(entry) }
    await disk.close()
    return entries
  }

  @Test func `prints sizes, ages, uses and freshness as bars`() async throws {
    try await keep(
      "http://a.test/page",
      1_000,
      ["Content-Type": "text/html; charset=utf-8", "Cache-Control": "max-age=100000"],
      age: 1_800
    )
    try await keep(
      "http://a.test/data",
      3_000,
      ["Content-Type": "Text/HTML", "Cache-Control": "max-age=60, must-revalidate"],
      age: 40_000
    )
    try await keep(
      "http://b.test/film",
      300_000,
      ["Cache-Control": "no-cache"],
      age: 5_000_000
    )
    let before = try await entries()

    let result = try await Tool.run("stats", "--store", store.path)

    #expect(result.status == 0 && result.error.isEmpty)
    #expect(
      result.text == """
        3 responses, 296 KiB

        Bytes by host
          b.test ████████████████████████████████████████ 1 response, 292 KiB
          a.test █                                        2 responses, 3.9 KiB

        Bytes by media type
          none      ████████████████████████████████████████ 1 response, 292 KiB
          text/html █                                        2 responses, 3.9 KiB

        Responses by size
          up to 1 KiB   ████████████████████████████████████████ 1 response, 1.0 KiB
          up to 16 KiB  ████████████████████████████████████████ 1 response, 2.9 KiB
          up to 256 KiB                                          0 responses, 0 B
          up to 4 MiB   ████████████████████████████████████████ 1 response, 292 KiB
          larger                                                 0 responses, 0 B

        Responses by age
          up to a minute                                          0 responses, 0 B
          up to an hour  ████████████████████████████████████████ 1 response, 1.0 KiB
          up to a day    ████████████████████████████████████████ 1 response, 2.9 KiB
          up to a week                                            0 responses, 0 B
          longer         ████████████████████████████████████████ 1 response, 292 KiB

        Responses by last use
          up to a minute                                          0 responses, 0 B
          up to an hour  ████████████████████████████████████████ 1 response, 1.0 KiB
          up to a day    ████████████████████████████████████████ 1 response, 2.9 KiB
          up to a week                                            0 responses, 0 B
          longer         ████████████████████████████████████████ 1 response, 292 KiB

        Responses by freshness
          fresh               ████████████████████████████████████████ 1 response, 1.0 KiB
          validated each time ████████████████████████████████████████ 1 response, 292 KiB
          stale, of use                                                0 responses, 0 B
          stale, of no use    ████████████████████████████████████████ 1 response, 2.9 KiB

        """
    )
    #expect(try await entries() == before)
  }

  @Test func `counts a use by its time, not by that of the response`() async throws {
    try await keep("http://a.test/1", 10, ["Cache-Control": "max-age=100000"], age: 40_000)
    let date = Date() - 1_800
    let disk = DiskStore(directory: store, now: { date })
    _ = await disk.find(CacheKey(try Request("http://a.test/1")), for: [:])
    await disk.close()

    let lines = try await Tool.run("stats", "--store", store.path).lines
    let uses = try #require(lines.firstIndex(of: "Responses by last use"))
    let ages = try #require(lines.firstIndex(of: "Responses by age"))

    #expect(lines[uses + 2].hasPrefix("  up to an hour  █"))
    #expect(lines[ages + 3].hasPrefix("  up to a day    █"))
  }

  @Test(arguments: [40, 60, 100, 200])
  func `keeps to the width, and sums up what has no line`(width: Int) {
    var figures = StoreFigures()
    for index in 0..<15 {
      figures.add(
        StoreFigures.Response(
          host: "a-very-long-name-of-a-host-\(index).example.org",
          type: "text/\u{1B}[31m\(index)",
          length: Int64(index) * 1_000,
          age: 1,
          idle: nil,
          phase: nil
        )
      )
    }
    let text = figures.text(width: width)
    let lines = text.split(separator: "\n")

    #expect(lines.allSatisfy { $0.count <= max(width, 48) })
    #expect(lines.count { $0.contains("5 others") } == 2)
    #expect(!text.contains("\u{1B}"))
  }

  @Test func `sums up any lengths that records claim`() {
    var figures = StoreFigures()
    for (index, length) in (Array(repeating: Int64.max, count: 12) + [-5]).enumerated() {
      figures.add(
        StoreFigures.Response(
          host: "\(index)",
          type: "",
          length: length,
          age: 1,
          idle: nil,
          phase: nil
        )
      )
    }

    #expect(figures.total.count == 13 && figures.total.bytes == .max)
    #expect(figures.text(width: 80).hasPrefix("13 responses, "))
  }

  @Test func `an empty store has no bars`() async throws {
    _ = try await entries()

    #expect(try await Tool.run("stats", "--store", store.path).text == "0 responses, 0 B\n")
  }

  @Test func `a missing store is a failure, and is not created`() async throws {
    let result = try await Tool.run("stats", "--store", store.path)

    #expect(result.status == 1 && result.error.contains("there is no store at"))
    #expect(!FileManager.default.fileExists(atPath: store.path))
  }

  @Test(arguments: [["stats"], ["store", "list"], ["inspect"]])
  func `a store that cannot be reached is not called missing`(command: [String]) async throws {
    try FileManager.default.createSymbolicLink(at: store, withDestinationURL: store)

    let result = try await Tool.run(command + ["--store", store.path])

    #expect(result.status == 1 && result.error.contains("cannot be read: "))
    #expect(!result.error.contains("no store"))
  }

  @Test(arguments: [["stats"], ["stats", "--store"], ["stats", "--store", "d", "x"]])
  func `refuses invalid arguments`(arguments: [String]) async throws {
    #expect(try await Tool.run(arguments).status == 2)
  }
}
