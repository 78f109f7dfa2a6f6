#if !canImport(Darwin)
import Foundation
import FreshetTesting
import TestSupport
import Testing

@testable import Freshet

/// A journal on a disk that takes no more for a while.
@Suite struct JournalWriterTests {
  private static func item(_ index: Int) -> BatchItem {
    BatchItem(index: index, request: BatchWorld.request("item-\(index)"))
  }

  /// Lets files of this process grow to so many bytes; to any size with `nil`.
  private static func limitFiles(to count: Int?) {
    signal(SIGXFSZ, SIG_IGN)
    var limit = rlimit(rlim_cur: count.map { rlim_t($0) } ?? rlim_t.max, rlim_max: rlim_t.max)
    guard setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else { exit(2) }
  }

  private static func size(_ journal: BatchJournal) throws -> Int {
    try Data(contentsOf: journal.file).count
  }

  @Test func `a line that does not fit is written with the next one, without splitting lines`()
    async
  {
    await #expect(processExitsWith: .success) {
      let folder = try TemporaryDirectory()
      let journal = BatchJournal(at: folder.file("journal"))
      let writer = try JournalWriter(journal, [], without: [])
      writer.add(JournalWriterTests.item(0))
      // A part of the next line fits.
      JournalWriterTests.limitFiles(to: try JournalWriterTests.size(journal) + 10)
      for index in 1...3 { writer.add(JournalWriterTests.item(index)) }
      // What is done is not worth a line, if it has none.
      writer.markDone(2)
      let before = try journal.remaining()?.items.map(\.index)

      JournalWriterTests.limitFiles(to: nil)
      writer.add(JournalWriterTests.item(4))
      writer.markDone(0)

      let after = try journal.remaining()?.items.map(\.index)
      let done = try journal.completed().map(\.url.lastPathComponent)
      let isRight = before == [0] && after == [1, 3, 4] && done == ["item-0"]
      exitTest(isRight, removing: folder.url)
    }
  }

  @Test func `an item that is done while nothing fits is marked with the next one, or at the end`()
    async
  {
    await #expect(processExitsWith: .success) {
      let folder = try TemporaryDirectory()
      let journal = BatchJournal(at: folder.file("journal"))
      let done = {
        try journal.completed().map(\.url.lastPathComponent).sorted()
      }
      var found: [[String]] = []
      do {
        let writer = try JournalWriter(journal, (0..<4).map(JournalWriterTests.item), without: [])
        // A part of a line fits.
        JournalWriterTests.limitFiles(to: try JournalWriterTests.size(journal) + 5)
        for index in 0..<2 { writer.markDone(index) }
        found.append(try done())
        JournalWriterTests.limitFiles(to: nil)
        writer.markDone(2)
        found.append(try done())
        JournalWriterTests.limitFiles(to: try JournalWriterTests.size(journal))
        writer.markDone(3)
        JournalWriterTests.limitFiles(to: nil)
      }
      found.append(try done())

      let names = (0..<4).map { "item-\($0)" }
      let expected = [[], Array(names.prefix(3)), names]
      exitTest(found == expected, removing: folder.url)
    }
  }

  @Test func `a line that does not fit is written at the end of the run`() async {
    await #expect(processExitsWith: .success) {
      let folder = try TemporaryDirectory()
      let journal = BatchJournal(at: folder.file("journal"))
      let world = BatchWorld()
      let requests = (0..<3).map { BatchWorld.request("gated_\($0)") }
      var begun = 0
      do {
        var run = world.client(world.origin())
          .batch(RequestScript(requests: requests))
          .run(maxConcurrent: 3, journal: journal)
          .makeAsyncIterator()
        while begun < 3, let event = try await run.next() {
          guard case .started = event else { continue }
          begun += 1
          if begun == 1 {
            JournalWriterTests.limitFiles(to: try JournalWriterTests.size(journal) + 10)
          }
        }
        JournalWriterTests.limitFiles(to: nil)
      }

      let left = try journal.remaining()?.items.map(\.index)
      exitTest(begun == 3 && left == [0, 1, 2], removing: folder.url)
    }
  }
}
#endif
