#if GTK && !canImport(Darwin)
import Foundation
import FreshetTesting
import TestSupport
import Testing

@testable import FreshetGallery

/// A window on a virtual screen, and what is really to be seen in it.
@Suite struct GalleryTests {
  private func run(_ folder: URL) async throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
    let script = root.appending(path: ".scripts/gallery.sh").standardized
    try await BoundedRun.run(
      [script.path, Program.built("FreshetGallery"), folder.path],
      seconds: 150
    )
  }

  /// Compares the cells with what they must show, at a place that the spinner leaves free.
  private func expect(
    _ screenshot: Screenshot,
    _ state: String,
    first: Int = 0,
    _ color: (Int) -> GalleryColor
  ) {
    for cell in Gallery.visible {
      let (x, y) = (cell % 8 * 80 + 12, cell / 8 * 80 + 12)
      let shown = screenshot.color(x: x, y: y)
      let wanted = color(first + cell).bytes
      #expect(
        zip(shown, wanted).allSatisfy { abs(Int($0) - Int($1)) <= 2 },
        "\(state), picture \(first + cell): \(shown), not \(wanted)"
      )
    }
  }

  @Test func `shows each state on a real screen`() async throws {
    let directory = try TemporaryDirectory()
    try await run(directory.url)
    func screenshot(_ state: String) throws -> Screenshot {
      try Screenshot(directory.file("\(state).xwd"))
    }
    func settled(_ version: Int) -> (Int) -> GalleryColor {
      { number in
        if number % 7 == 3 { return .failure }
        return .picture(number, version: number.isMultiple(of: 2) ? version : 1)
      }
    }

    expect(try screenshot("placeholder"), "placeholder") { _ in .placeholder }
    let loading = try screenshot("loading")
    expect(loading, "loading") { $0 % 7 == 3 ? .failure : .placeholder }
    #expect(hasSpinner(loading, cell: 0))
    expect(try screenshot("shown"), "shown", settled(1))
    expect(try screenshot("preview"), "preview") { number in
      number % 7 == 3 ? .placeholder : .picture(number, version: 1)
    }
    expect(try screenshot("changed"), "changed", settled(2))
    expect(try screenshot("bottom"), "bottom", first: Gallery.count - 48, settled(2))
    expect(try screenshot("top"), "top", settled(2))
  }

  /// Whether something is drawn over the placeholder in the middle of a cell.
  private func hasSpinner(_ screenshot: Screenshot, cell: Int) -> Bool {
    let (x, y) = (cell % 8 * 80, cell / 8 * 80)
    let middle = (y + 28..<y + 52)
      .flatMap { y in
        (x + 28..<x + 52).map { screenshot.color(x: $0, y: y) }
      }
    return Set(middle).count > 1
  }
}
#endif
