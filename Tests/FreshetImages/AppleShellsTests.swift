#if Images && os(Linux)
import Foundation
import FreshetTesting
import Testing

/// The shells for Apple platforms, which nothing compiles on Linux, are at least checked against the
/// interfaces that they use, as far as `Stubs` has them right.
@Suite struct AppleShellsTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
  private static let root = folder.appending(path: "../..").standardized

  private var sources: [String] {
    let files = FileManager.default.enumerator(
      at: Self.root.appending(path: "Sources/FreshetImages"),
      includingPropertiesForKeys: nil
    )
    return (files?.allObjects as? [URL] ?? []).map(\.path).filter { $0.hasSuffix(".swift") }
  }

  @Test(arguments: [
    ["CoreGraphics", "ImageIO", "QuartzCore", "UIKit", "SwiftUI"],
    ["CoreGraphics", "ImageIO", "QuartzCore", "AppKit", "SwiftUI"],
  ])
  func `the shells agree with the interfaces that they use`(modules: [String]) async throws {
    let directory = try TemporaryDirectory()
    for module in modules {
      try await BoundedRun.run(
        [
          "swiftc", "-emit-module", "-module-name", module, "-swift-version", "6",
          "-parse-as-library",
          "-I", directory.url.path, "-o", directory.file("\(module).swiftmodule").path,
          Self.folder.appending(path: "Stubs/\(module).swift").path,
        ],
        seconds: 120
      )
    }
    let built = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    let libraries = ["CZlib", "CLinux", "CCurl", "CSQLite", "CCrypto"]
      .flatMap { ["-I", Self.root.appending(path: "Sources/\($0)").path] }
    let features = [
      "ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility",
      "NonisolatedNonsendingByDefault",
    ]
    .flatMap { ["-enable-upcoming-feature", $0] }
    try await BoundedRun.run(
      ["swiftc", "-typecheck", "-module-name", "FreshetImages", "-swift-version", "6"]
        + ["-package-name", Self.root.lastPathComponent.lowercased()]
        + ["-I", directory.url.path, "-I", built.appending(path: "Modules").path]
        + libraries + features + sources,
      seconds: 240
    )
  }
}
#endif
