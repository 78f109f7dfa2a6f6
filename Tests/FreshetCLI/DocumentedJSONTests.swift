import Foundation
import Freshet
import FreshetTesting
import TestSupport
import Testing

/// The members of the lines that `--json` prints, beside the table on the page of the tool.
@Suite(.timeLimit(.minutes(5))) struct DocumentedJSONTests: ToolSuite {
  private let folder: TemporaryDirectory
  let server: LoopbackServer
  private let uploads = UploadService()

  init() throws {
    folder = try TemporaryDirectory()
    server = try LoopbackServer([
      "/one": .content(Data("one".utf8), eTag: "\"1\"", cacheControl: "max-age=3600"),
      "/missing": .status(404),
      "/films": .uploads(uploads), "/files/": .uploads(uploads), "/files/*": .uploads(uploads),
    ])
    try Data("film".utf8).write(to: folder.file("film"))
  }

  /// The rows of the table: the words in code of each, by command.
  private func rows() throws -> [(command: String, events: [String], members: [String])] {
    let page = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Sources/Freshet/Freshet.docc/CommandLineTool.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    let section = try #require(text.split(separator: "## For scripts\n").last)
    return section.split(separator: "\n").filter { $0.hasPrefix("| `") }
      .map { row in
        let cells = row.split(separator: "|", omittingEmptySubsequences: false).dropFirst()
        let words = cells.map { cell in
          cell.replacing(/``[^`]*``/, with: "").matches(of: /`([^`]*)`/).map { String($0.output.1) }
        }
        return (words[0][0], words[1], words[2].filter { $0 != "null" && $0 != "--into" })
      }
  }

  /// The names in a line, in their order.
  private func names(in line: String) -> [String] {
    line.matches(of: /[{,]"([a-z0-9]+)":/).map { String($0.output.1) }
  }

  @Test func `each line has the documented members in their order`() async throws {
    let store = folder.file("store").path
    let file = folder.file("film").path
    let commands: KeyValuePairs = [
      "fetch": [
        "--json", "--store", store, "--into", folder.file("into").path, url("/one"),
        url("/missing"),
      ],
      "explain": ["--json", "--store", store, url("/one")],
      "upload": ["--json", file, url("/films")],
      "seed": ["--json", "--into", folder.file("seeds").path, url("/one")],
      "store list": ["--json", "--store", store], "store stats": ["--json", "--store", store],
      "store verify": ["--json", "--store", store],
      "store purge": ["--json", "--store", store, "--older-than", "3600"],
      "store remove": ["--json", "--store", store, "--all"],
    ]
    let rows = try rows()
    #expect(Set(rows.map(\.command)) == Set(commands.map(\.key)))

    var seen: Set<String> = []
    for (command, options) in commands {
      let run = try await Tool.run(command.split(separator: " ").map(String.init) + options)
      #expect(!run.lines.isEmpty, "\(command): \(run.error)")
      for line in run.lines {
        let names = names(in: line)
        let event = try #require(line.firstMatch(of: /"event":"([a-z]+)"/)?.output.1)
        let row = try #require(
          rows.first { $0.command == command && $0.events.last ?? "" == event }
        )
        seen.insert("\(command) \(event)")
        // A row of two events names the members of the last one last.
        let members = row.events.count > 1 ? row.members.suffix(names.count - 1) : row.members[...]
        #expect(members == names.dropFirst(), "\(command): \(line)")
      }
    }
    // Only what takes a while has progress.
    let all = Set(rows.map { "\($0.command) \($0.events.last ?? "")" })
    #expect(all.subtracting(seen).isSubset(of: ["fetch progress", "upload progress"]))
  }
}
