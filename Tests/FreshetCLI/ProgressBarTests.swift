import Freshet
import Testing

@testable import FreshetCLI

@Suite struct ProgressBarTests {
  @Test func `shows share, bytes, rate and time left`() {
    let line = ProgressBar.line(
      TransferProgress(completed: 512 * 1024, total: 2 * 1024 * 1024),
      ended: 0,
      count: 1,
      elapsed: .seconds(1),
      width: 100
    )

    #expect(line.contains(" 25 %"))
    #expect(line.contains("512 KiB of 2.0 MiB  512 KiB/s  0:03 left"))
  }

  @Test func `shows neither share nor time left without a total`() {
    let line = ProgressBar.line(
      TransferProgress(completed: 1_000),
      ended: 0,
      count: 1,
      elapsed: .seconds(1),
      width: 100
    )

    #expect(!line.contains("%"))
    #expect(!line.contains("left"))
  }

  @Test func `counts the URLs that have ended`() {
    let line = ProgressBar.line(
      TransferProgress(completed: 1),
      ended: 2,
      count: 3,
      elapsed: .seconds(1),
      width: 100
    )

    #expect(line.hasSuffix("2 of 3 done"))
  }

  @Test(arguments: [5, 20, 40, 80, 200])
  func `never fills the last column`(width: Int) {
    let line = ProgressBar.line(
      TransferProgress(completed: 5_000_000_000, total: 9_000_000_000),
      ended: 0,
      count: 12,
      elapsed: .seconds(9),
      width: width
    )

    #expect(line.count < width)
  }
}
