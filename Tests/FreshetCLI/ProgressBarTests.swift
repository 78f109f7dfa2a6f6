import Freshet
import Testing

@testable import FreshetCLI

@Suite struct ProgressBarTests {
  private func progress(
    _ completed: Int64,
    of total: Int64? = nil,
    items: (Int, Int) = (0, 1),
    failed: Int = 0
  ) -> BatchProgress {
    var progress = BatchProgress()
    progress.completedBytes = completed
    progress.totalBytes = total
    (progress.endedItems, progress.totalItems) = items
    progress.failedItems = failed
    progress.fraction = total.map { Double(completed) / Double($0) }
    progress.bytesPerSecond = 512 * 1024
    progress.timeLeft = total.map { .seconds(Double($0 - completed) / (512 * 1024)) }
    return progress
  }

  @Test func `shows share, bytes, rate and remaining time`() {
    let line = ProgressBar.line(progress(512 * 1024, of: 2 * 1024 * 1024), width: 100)

    #expect(line.contains(" 25 %"))
    #expect(line.contains("512 KiB of 2.0 MiB  512 KiB/s  0:03 left"))
  }

  @Test func `shows neither share nor remaining time without a total`() {
    let line = ProgressBar.line(progress(1_000), width: 100)

    #expect(!line.contains("%"))
    #expect(!line.contains("left"))
  }

  @Test func `counts ended and failed items`() {
    let line = ProgressBar.line(progress(1, items: (2, 3), failed: 1), width: 100)

    #expect(line.hasSuffix("2 of 3 done  1 failed"))
  }

  @Test(arguments: [5, 20, 40, 80, 200])
  func `never fills the last column`(width: Int) {
    let line = ProgressBar.line(
      progress(5_000_000_000, of: 9_000_000_000, items: (3, 12)),
      width: width
    )

    #expect(line.count < width)
  }

  @Test(arguments: [
    (Duration.seconds(9), "0:09"), (.seconds(61), "1:01"), (.seconds(3_725), "1:02:05"),
    (.milliseconds(1), "0:01"), (.zero, "0:00"),
  ])
  func `shows time as a clock does`(duration: Duration, text: String) {
    #expect(ProgressBar.time(duration) == text)
  }

  @Test func `a board has a line for each running item and a bar for all`() {
    var board = ProgressBoard(width: 60, showsItems: true)
    board.start("http://a.example/one", 0)
    board.start("http://a.example/\(String(repeating: "long/", count: 20))end", 1)
    board.advance(TransferProgress(completed: 10, total: 20), 0)
    board.advance(progress(10, of: 40, items: (0, 2)))

    let lines = board.lines(width: 60)

    #expect(lines.count == 3)
    #expect(lines[0] == "  10 B of 20 B  http://a.example/one")
    #expect(lines[1].hasSuffix("long/end") && lines[1].hasPrefix("  …"))
    #expect(lines[2].hasSuffix("0 of 2 done"))
    #expect(lines.allSatisfy { $0.count < 60 })
  }

  @Test func `a board forgets ended items and shows at most six running ones`() {
    var board = ProgressBoard(width: 80, showsItems: true)
    for index in 0..<9 { board.start("http://a.example/\(index)", index) }
    board.end(0)

    #expect(board.lines(width: 80).map { $0.suffix(1) } == ["1", "2", "3", "4", "5", "6"])
  }
}
