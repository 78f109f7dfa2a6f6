import Foundation
import FreshetTesting
import TestSupport
import Testing

@testable import FreshetCLI

/// What the help and the pages say can be pasted is pasted, with an origin on loopback in the place of
/// the real ones, and nothing else changed.
@Suite(.enabled(if: Program.path("bash") != nil)) struct DocumentedCommandTests {
  private let folder: TemporaryDirectory
  private let server: LoopbackServer
  private let uploads = UploadService()

  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../..")
    .standardized

  init() throws {
    folder = try TemporaryDirectory()
    let page = Data("<html>hello</html>".utf8)
    server = try LoopbackServer([
      "/": .content(page, type: "text/html", eTag: "\"1\"", cacheControl: "max-age=3600"),
      "/post": .text("taken"),
      "/chat": .socket(protocols: ["chat.v2"]) { peer in
        for try await message in peer { try await peer.send(message) }
      },
      "/put": .text("taken"),
      "/films": .uploads(uploads),
      "/files/": .uploads(uploads),
      "/files/*": .uploads(uploads),
    ])
    try page.write(to: folder.file("film.mp4"))
  }

  /// Runs commands one after the other, each in a shell of its own, with a home of its own.
  private func paste(_ commands: [String]) async throws {
    let shell = try #require(Program.path("bash"))
    let tools = URL(filePath: Program.built("freshet")).deletingLastPathComponent().path
    for command in commands {
      let script = """
        set -eo pipefail
        export HOME="$PWD" PATH="\(tools):$PATH"
        \(interrupted(local(command)))
        """
      let run = try await ProgramRun(shell, ["-c", script], in: folder.url)
      #expect(run.status == 0, "\(command): \(run.error)")
    }
  }

  /// The command, and an interruption as soon as it has a page that stays until then.
  private func interrupted(_ command: String) -> String {
    guard command.contains("inspect ") else { return command }
    let words = command.hasPrefix("freshet fetch") ? "page stays" : "Freshet inspector"
    return """
      rm -f page.txt
      \(command) > page.txt 2>&1 & tool=$!
      until grep -qs '\(words)' page.txt; do kill -0 $tool; sleep 0.05; done
      kill -INT $tool; wait $tool
      """
  }

  /// The command with the origin on loopback in the place of those that it names.
  private func local(_ command: String) -> String {
    ["https://example.org/", "https://example.com/", "https://httpbin.org/", "wss://example.org/"]
      .reduce(command) { $0.replacing($1, with: server.url("/").absoluteString) }
  }

  /// The examples that need nothing but the tool; `man` may not be installed.
  private static let examples = Manual.pages.filter { $0.name != "tour" }
    .flatMap(\.examples)
    .filter { !$0.contains("| man ") || Program.path("man") != nil }

  @Test func `the examples of the help work one after the other`() async throws {
    #expect(Self.examples.count >= 15)

    try await paste(Self.examples)
  }

  @Test(arguments: [
    "README.md", "Sources/Freshet/Freshet.docc/OfflineFirst.md",
    "Sources/Freshet/Freshet.docc/CommandLineTool.md",
  ])
  func `the commands of a page work as printed`(page: String) async throws {
    let text = try String(contentsOf: Self.root.appending(path: page), encoding: .utf8)
    let commands = text.split(separator: "\n")
      .filter { $0.hasPrefix("swift run freshet ") }
      .map { String($0.dropFirst("swift run ".count)) }

    #expect(!commands.isEmpty)
    try await paste(commands)
  }
}
