import Foundation
import Testing

@Suite struct PlaygroundTests {
  @Test(arguments: [
    ("FirstFetch", ["value 200 network fresh", "again memory 300000 bytes", "promised memory"]),
    ("YourOwnStage", ["downloaded 9 bytes", "A freshet from network", "A freshet from memory"]),
    (
      "ModelsOnScreen",
      [
        "first launch: nothing", "first launch: up to date", "second launch: Loue (Ada)",
        "second launch: up to date", "renamed: Grace, Grace",
        "without a network: Doubs (Grace), Loue (Grace)", "without a network: no answer",
      ]
    ),
  ])
  func `a page runs offline and prints what it teaches`(page: String, lines: [String]) throws {
    let output = try run(page)

    let printed = output.split(separator: "\n").map(String.init)
    #expect(printed.filter(lines.contains) == lines)
    #expect(!output.contains("failed:"))
  }

  private func run(_ page: String) throws -> String {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(filePath: CommandLine.arguments[0])
      .deletingLastPathComponent()
      .appending(path: page)
    process.standardOutput = pipe
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return String(decoding: output, as: UTF8.self)
  }
}
