import Foundation
import FreshetTesting
import TestSupport
import Testing

@testable import FreshetCLI

@Suite struct ManualTests {
  private static let names = Manual.pages.map(\.name)

  @Test(arguments: Manual.pages.flatMap(\.examples).filter { $0.hasPrefix("freshet ") })
  func `the tool accepts each example of the help`(example: String) throws {
    _ = try Command(Shell.words(example))
  }

  @Test(arguments: ["fetch", "explain", "upload", "socket", "seed", "stats", "inspect"])
  func `the command accepts each option of the help`(name: String) throws {
    let page = try #require(Manual.page(name))
    #expect(!page.options.isEmpty)
    for option in page.options {
      for spelling in option.names {
        let error = #expect(throws: UsageError.self) { try Command([name, spelling]) }
        #expect(error?.message.contains("no option") == false)
      }
    }
  }

  @Test(arguments: names) func `each command describes itself`(name: String) async throws {
    let help = try await Tool.run(name, "--help")
    let same = try await Tool.run("help", name)
    let overview = try await Tool.run("help")

    #expect(help.status == 0 && same.status == 0)
    #expect(help.text == same.text)
    #expect(help.text.contains("USAGE\n  freshet \(name)"))
    #expect(help.text.contains("EXAMPLES\n  "))
    #expect(help.text.contains("freshet \(name)"))
    #expect(help.lines.allSatisfy { $0.count <= 100 })
    #expect(overview.lines.contains { $0.hasPrefix("  \(name) ") })
  }

  @Test(arguments: Manual.pages.map(\.name), [50, 80, 100])
  func `help fits into its window, except for examples, which stay complete`(
    name: String,
    width: Int
  ) throws {
    let text = HelpText(width: width).text(try #require(Manual.page(name)))
    let lines = text.components(separatedBy: "\n\nEXAMPLES\n")[0].split(separator: "\n")

    #expect(lines.filter { $0.count > width } == [])
    #expect(HelpText(width: width).overview.split(separator: "\n").allSatisfy { $0.count <= width })
  }

  @Test(arguments: ["fetc", "stroe", "exp"])
  func `suggests the command for a small mistake`(name: String) async throws {
    let result = try await Tool.run(name)

    #expect(result.status == 2)
    #expect(result.error.contains("did you mean"))
  }

  @Test func `suggests nothing for a different command`() async throws {
    let result = try await Tool.run("gibberish")

    #expect(result.status == 2)
    #expect(result.error.contains("there is no command 'gibberish'\n"))
  }

  @Test func `prints the version`() async throws {
    #expect(try await Tool.run("--version").text == "freshet 0.1.0\n")
  }

  @Test(arguments: [["--version", "nonsense"], ["help", "fetch", "nonsense"]])
  func `refuses words that say nothing`(arguments: [String]) async throws {
    let result = try await Tool.run(arguments)

    #expect(result.status == 2)
    #expect(result.output.isEmpty)
  }

  @Test(arguments: [["-d", "-h"], ["--data", "--help"], ["-H", "-h: 1"], ["-sd", "-h"]])
  func `the value of an option does not ask for help`(words: [String]) throws {
    guard case .run(is FetchCommand) = try Command(["fetch"] + words + ["http://a.test"]) else {
      Issue.record("it is not a fetch")
      return
    }
  }

  @Test(
    arguments: ["fetch", "tour", "man", "completion", "help", "store", "socket"],
    ["-h", "--help"]
  )
  func `each command has its help`(name: String, option: String) throws {
    guard case .text(let text) = try Command([name, option]) else {
      Issue.record("it is no text")
      return
    }
    #expect(text.contains("freshet \(name)"))
  }

  @Test func `options after two hyphens do not ask for help`() throws {
    guard case .run(let command as FetchCommand) = try Command(["fetch", "--", "--help"]) else {
      Issue.record("it is not a fetch")
      return
    }
    #expect(command.options.urls == ["--help"])
  }
}

@Suite struct CompletionTests {
  private static let shells = Completion.allCases.filter { Program.path($0.rawValue) != nil }

  @Test(arguments: Completion.allCases) func `names each command and option`(shell: Completion) {
    for page in Manual.pages {
      #expect(shell.script.contains(page.name))
      for option in page.options {
        let name = shell == .fish ? String(option.names[0].dropFirst(2)) : option.names[0]
        #expect(shell.script.contains(name))
      }
    }
  }

  @Test(arguments: shells) func `is a script that the shell accepts`(
    shell: Completion
  ) async throws {
    let path = try #require(Program.path(shell.rawValue))
    #expect(try await ProgramRun(path, ["-n"], input: Data(shell.script.utf8)).status == 0)
  }

  @Test(
    .enabled(if: Program.path("bash") != nil),
    arguments: [
      ("freshet fe", ["fetch"]), ("freshet store ve", ["verify"]),
      ("freshet fetch --out", ["--output"]), ("freshet explain --policy al", ["always"]),
    ]
  )
  func `completes a partial word`(line: String, words: [String]) async throws {
    let typed = line.split(separator: " ").map { "'\($0)'" }
    let script = """
      \(Completion.bash.script)
      COMP_WORDS=(\(typed.joined(separator: " "))); COMP_CWORD=\(typed.count - 1)
      _freshet; printf '%s\\n' "${COMPREPLY[@]}"
      """
    let path = try #require(Program.path("bash"))
    #expect(try await ProgramRun(path, [], input: Data(script.utf8)).lines == words)
  }

  @Test(.enabled(if: Program.path("groff") != nil)) func `the man page has no warnings`()
    async throws
  {
    let path = try #require(Program.path("groff"))
    let result = try await ProgramRun(
      path,
      ["-man", "-Tutf8", "-ww"],
      input: Data(ManPage.text.utf8)
    )
    #expect(result.status == 0)
    #expect(result.error.isEmpty)
  }
}
