import Foundation
import Freshet
import FreshetTesting
import TestSupport
import Testing

/// Ten thousand real files.
@Suite(
  .enabled(if: Nginx.isInstalled, "nginx and openssl are not installed"),
  .besideNginx,
  .serialized,
  .timeLimit(.minutes(5))
)
struct BatchTests {
  let nginx: Nginx
  let files: ManyFiles
  let folder: TemporaryDirectory

  init() throws {
    nginx = try #require(Nginx.current)
    files = try ManyFiles(on: nginx)
    folder = try TemporaryDirectory()
  }

  private var store: URL { folder.file("store") }

  private func client(_ disk: DiskStore) -> Client {
    Client {
      $0.memory = nil
      $0.disk = disk
    }
  }

  @Test func `a plan's numbers are right, and its run ends with the present files`() async throws {
    let disk = DiskStore(directory: store)
    let client = client(disk)
    let early = (0..<ManyFiles.count).filter(ManyFiles.isEarly)
    let stored = try await client.batch(early.map(files.url)).run(perHost: 16).value
    #expect(stored.completedItems == early.count && stored.failures.isEmpty)
    // The slow one is for the test below.
    let urls = Array(files.urls.dropFirst())

    let plan = try await client.batch(urls + urls.prefix(300))
      .plan(maxConcurrent: 32, perHost: 32)
      .value
    let (missing, streamed) = (ManyFiles.numbers(.missing), ManyFiles.numbers(.streamed))
    let open = ManyFiles.numbers(.plain).filter { $0 != 0 && !ManyFiles.isEarly($0) }
    #expect(plan.totals.items == urls.count)
    #expect(plan.totals.fresh == early.count)
    #expect(plan.totals.unknown == missing.count + streamed.count)
    #expect(plan.totals.bytes == open.reduce(0) { $0 + Int64(ManyFiles.length($1)) })
    #expect(plan.items.filter { $0.problem != nil }.map(\.index) == missing.map { $0 - 1 })
    try await run(plan, of: urls.count)
    await disk.close()
  }

  /// Runs the plan and compares what comes with what is there, and each report with the one before.
  private func run(_ plan: BatchPlan, of count: Int) async throws {
    var (ended, failed): (Set<Int>, Set<Int>) = ([], [])
    var last = BatchProgress()
    var result: BatchResult?
    for try await event in plan.run(maxConcurrent: 32, perHost: 32) {
      switch event {
      case .received(let item, let resource):
        let number = item.index + 1
        #expect(try resource.data() == ManyFiles.body(number))
        #expect(resource.source == (ManyFiles.isEarly(number) ? .disk : .network))
        #expect(ended.insert(number).inserted)
      case .failed(let item, let error):
        #expect(error.head?.status == .notFound)
        #expect(failed.insert(item.index + 1).inserted)
      case .advanced(let progress):
        #expect(progress.completedBytes >= last.completedBytes)
        #expect(progress.completedBytes <= progress.totalBytes ?? .max)
        #expect(progress.endedItems >= last.endedItems && progress.totalItems == count)
        #expect(progress.fraction ?? 0 >= last.fraction ?? 0)
        last = progress
      case .finished(let end): result = end
      case .started, .progressed: break
      }
    }

    #expect(failed == Set(ManyFiles.numbers(.missing)))
    #expect(ended == Set(1..<ManyFiles.count).subtracting(failed))
    let progress = try #require(result?.progress)
    let fetched = ended.filter { !ManyFiles.isEarly($0) }
    #expect(progress.completedBytes == fetched.reduce(0) { $0 + Int64(ManyFiles.length($1)) })
    #expect(progress.totalBytes == progress.completedBytes && progress.fraction == 1)
    #expect(progress.endedItems == count && progress.failedItems == failed.count)
  }

  @Test func `a killed run continues without requesting finished items`() async throws {
    let list = folder.file("urls.txt")
    try Data(files.urls.map(\.absoluteString).joined(separator: "\n").utf8).write(to: list)
    let before = try AccessLog(of: nginx).lines.count

    let done = try await killInTheMiddle(list)
    #expect(done.count > 0 && done.count < ManyFiles.count)
    let end = try await ProbeRun.run(
      tool: "freshet",
      "fetch",
      "--store",
      store.path,
      "--json",
      "--no-plan",
      "--continue"
    )

    #expect(end.status == 1)
    let lines = end.lines.compactMap { try? JSONEvent($0) }
    let missing = Set(ManyFiles.numbers(.missing).map { files.url($0).absoluteString })
    let all = Set(files.urls.map(\.absoluteString))
    #expect(Set(lines.filter { $0.event == "error" }.compactMap(\.url)) == missing)
    let rest = Set(lines.filter { $0.event == "value" }.compactMap(\.url))
    #expect(done.union(rest) == all.subtracting(missing))
    let last = try #require(lines.last)
    #expect(last.event == "batch" && last.items == last.of && last.of == rest.count + missing.count)
    try checkLog(after: before, done: done)
    try await checkStore()
  }

  /// Runs the tool until the slow file is under way and partly verified, and kills it.
  ///
  /// - Returns: What it said to be done.
  private func killInTheMiddle(_ list: URL) async throws -> Set<String> {
    let tool = try ProbeProcess(
      tool: "freshet",
      "fetch",
      "--store",
      store.path,
      "--json",
      "--no-plan",
      "--from",
      list.path
    )
    var done: Set<String> = []
    let slow = files.url(ManyFiles.slow).absoluteString
    while let line = try await tool.line() {
      let event = try JSONEvent(line)
      if event.event == "value", let url = event.url { done.insert(url) }
      if event.event == "progress", event.url == slow, event.completed ?? 0 > 10 << 20 { break }
    }
    tool.kill()
    // What it had said before it died is in the pipe.
    while let line = try await tool.line() {
      guard let event = try? JSONEvent(line), event.event == "value", let url = event.url else {
        continue
      }
      done.insert(url)
    }
    return done
  }

  private func checkLog(after count: Int, done: Set<String>) throws {
    let log = try AccessLog(of: nginx, after: count)
    let downloads = log.downloads
    var again = 0
    for number in ManyFiles.numbers(.plain) + ManyFiles.numbers(.streamed) {
      let url = files.url(number)
      let lines = downloads[Substring(url.path)] ?? []
      if number == ManyFiles.slow {
        // From the last checkpoint on; there is one every four mebibytes and a piece.
        #expect(lines.map(\.status) == [200, 206])
        let start = lines.last?.range.dropFirst("bytes=".count).prefix { $0.isNumber }
        #expect(try #require(start.flatMap { Int($0) }) >= 6 << 20)
      } else if done.contains(url.absoluteString) {
        #expect(lines.count == 1, "\(url)")
      } else if lines.count > 1 {
        again += 1
      }
    }
    // What had arrived and was not stored yet when the process died: no more than ran at once.
    #expect(again <= 6)
  }

  private func checkStore() async throws {
    let disk = DiskStore(directory: store)
    for number in 0..<ManyFiles.count where ManyFiles.kind(number) != .missing {
      let found = await disk.find(CacheKey(Request(.get, files.url(number))), for: [:])
      #expect(try found?.body.data() == ManyFiles.body(number), "\(number)")
    }
    await disk.close()
  }
}

/// One line of `freshet fetch --json`, as far as it is looked at here.
private struct JSONEvent: Decodable {
  let event: String
  let url: String?
  let completed: Int?
  let items: Int?
  let of: Int?

  init(_ line: some StringProtocol) throws {
    self = try JSONDecoder().decode(JSONEvent.self, from: Data(line.utf8))
  }
}
