import Foundation
import Testing

/// What the pages around the sources say agrees with what is done.
@Suite struct RepositoryTests {
  private func text(_ path: String) throws -> String {
    try String(contentsOf: DocumentationTests.root.appending(path: path), encoding: .utf8)
  }

  private func installed(by text: String) -> [String] {
    let command = text.replacing("\\\n", with: " ")
    guard let start = command.firstRange(of: "apt-get install -y") else { return [] }
    return command[start.upperBound...].prefix { $0 != "\n" && $0 != "&" }
      .split(separator: " ")
      .map(String.init)
      .filter { !$0.hasPrefix("-") }
  }

  @Test func `CONTRIBUTING names what the gate installs`() throws {
    let packages = installed(by: try text(".ci/run"))
    let page = try text(".github/CONTRIBUTING.md")
    let words = Set(page.split { " \n`".contains($0) }.map(String.init))

    #expect(packages.count > 5)
    #expect(packages.filter { !words.contains($0) } == [])
  }

  @Test(arguments: [
    ("Sources/Freshet/Freshet.docc/Changelog.md", "\n## VERSION\n"),
    ("README.md", "--from VERSION\n"),
    ("Sources/Freshet/Freshet.docc/GettingStarted.md", "--from VERSION\n"),
    ("Sources/FreshetImages/FreshetImages.docc/Images.md", "from: \"VERSION\""),
  ])
  func `a page names the version of the tool`(page: String, line: String) throws {
    let tool = try text("Sources/FreshetCLI/Version.swift")
    let version = try #require(tool.firstMatch(of: /"(\d+\.\d+\.\d+)"/)?.output.1)

    #expect(try text(page).contains(line.replacing("VERSION", with: version)))
  }

  @Test(arguments: ["README.md", "Sources/Freshet/Freshet.docc/GettingStarted.md"])
  func `a page installs nothing that the gate does not`(page: String) throws {
    let gate = Set(installed(by: try text(".ci/run")))
    let packages = installed(by: try text(page))

    #expect(packages.count > 3)
    #expect(packages.filter { !gate.contains($0) } == [])
  }
}
