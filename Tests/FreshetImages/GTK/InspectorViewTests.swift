#if GTK && !canImport(Darwin)
import Foundation
import FreshetTesting
import TestSupport
import Testing

/// The widget of `FreshetInspector` in a window on a virtual screen.
@Suite struct InspectorViewTests {
  @Test func `lists calls with their explanations, the newest first`() async throws {
    let folder = try TemporaryDirectory()
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
    let script = root.appending(path: ".scripts/gallery.sh").standardized

    try await BoundedRun.run(
      [script.path, Program.built("FreshetGallery"), folder.url.path, "--calls"],
      seconds: 150
    )

    let shown = try String(contentsOf: folder.file("gallery.log"), encoding: .utf8)
      .split(separator: "\n")
      .map(String.init)
    #expect(
      shown.filter { $0.hasPrefix("GET ") } == [
        "GET https://shop.example/missing", "GET https://shop.example/logo",
        "GET https://shop.example/logo",
      ]
    )
    #expect(shown.contains { $0.hasPrefix("failed · ") })
    #expect(shown.contains { $0.hasPrefix("200 · memory · ") })
    #expect(shown.contains { $0.hasPrefix("200 · network · ") })
    #expect(shown.contains("memory: hit") && shown.contains("memory: stored"))
    #expect(!shown.contains { $0.contains("secret") })
  }
}
#endif
