import Foundation
import Testing

/// What the pages tell to type names what there is.
@Suite struct CommandTests {
  private static let manifest = text("Package.swift")

  private static func text(_ path: String) -> String {
    let file = DocumentationTests.root.appending(path: path)
    return (try? String(contentsOf: file, encoding: .utf8)) ?? ""
  }

  /// Pages, and scripts, whose first lines tell how they are used.
  private static let pages: [String] = {
    let root = DocumentationTests.root
    let articles = ["Freshet", "FreshetImages", "FreshetModels"]
      .map { "Sources/\($0)/\($0).docc" }
      .flatMap { folder in
        let names = try? FileManager.default.contentsOfDirectory(
          atPath: root.appending(path: folder).path
        )
        return (names ?? []).filter { $0.hasSuffix(".md") }.sorted().map { "\(folder)/\($0)" }
      }
    let scripts = try? FileManager.default.contentsOfDirectory(
      atPath: root.appending(path: ".scripts").path
    )
    return ["README.md", ".github/CONTRIBUTING.md", ".github/OPERATOR_TEMPLATE.md"] + articles
      + (scripts ?? []).sorted().map { ".scripts/\($0)" }
  }()

  /// The lines of the shell blocks, the code between backticks, and the usage of the scripts.
  private static let commands: [String] = {
    let commands = pages.flatMap { page -> [String] in
      let text = text(page)
      guard page.hasSuffix(".md") else {
        return text.matches(of: /(?m)^#   (\.scripts\/.*)$/).map { String($0.output.1) }
      }
      let blocks = text.components(separatedBy: "```sh\n")
        .dropFirst()
        .compactMap { $0.components(separatedBy: "```").first }
        .flatMap { $0.replacing("\\\n", with: " ").split(separator: "\n").map(String.init) }
      return blocks + text.matches(of: /`([^`\n]+)`/).map { String($0.output.1) }
    }
    return commands.flatMap { $0.components(separatedBy: " && ") }
      // Two spaces separate what a command is for.
      .compactMap { $0.components(separatedBy: "  ").first { !$0.isEmpty } }
      .map { $0.trimmingCharacters(in: .whitespaces) }
  }()

  private static func commands(_ beginning: String) -> [String] {
    Array(Set(commands.filter { $0.hasPrefix(beginning) })).sorted()
  }

  /// The first word that is no option or an option's value.
  private static func product(_ command: String) -> String? {
    var words = command.split(separator: " ").dropFirst(2)
    while let word = words.first, word.hasPrefix("-") {
      words = words.dropFirst(["-c", "--traits"].contains(word) ? 2 : 1)
    }
    return words.first.map(String.init)
  }

  @Test func `the documentation has commands`() {
    #expect(Self.commands("swift ").count >= 12)
    #expect(Self.commands(".scripts/").count >= 6)
  }

  @Test(arguments: commands("swift run"))
  func `runs only products and pages that exist`(command: String) {
    guard let product = Self.product(command) else { return }

    #expect(
      Self.manifest.contains("name: \"\(product)\"") || Self.manifest.contains("-\(product)\"")
    )
  }

  @Test(arguments: commands("swift test") + commands("FRESHET_PROPERTY_RUNS"))
  func `filters only suites that exist`(command: String) {
    let words = command.split(separator: " ")
    guard let option = words.firstIndex(of: "--filter") else { return }
    let suite = words[option + 1].split(separator: ".").last.map(String.init) ?? ""

    #expect(ConformanceTests.suites.keys.contains { $0.hasSuffix(suite) })
  }

  @Test(arguments: commands(".scripts/") + commands(".ci/"))
  func `a script exists, is executable and accepts its arguments`(command: String) {
    let words = command.split(separator: " ").map(String.init)
    let script = Self.text(words[0])

    #expect(script.hasPrefix("#!"))
    #expect(
      FileManager.default.isExecutableFile(
        atPath: DocumentationTests.root.appending(path: words[0]).path
      )
    )
    let arguments = words.dropFirst().prefix { $0 != "#" }
    for argument in arguments.filter({ $0.contains { $0.isLowercase } }) {
      let isTarget =
        words[0].hasSuffix("fuzz.sh")
        && ConformanceTests.suites.values.contains { $0.contains("\"\(argument)\"") }
      let isMeant = argument.hasPrefix("[") || argument.hasPrefix("--")
      let option = argument.trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
      #expect(isTarget || script.contains(option) && (isMeant || script.contains("\"\(option)|")))
    }
  }

  @Test(arguments: ["Images", "GTK"]) func `a trait that a page names is declared`(trait: String) {
    #expect(Self.manifest.contains("name: \"\(trait)\""))
  }
}
