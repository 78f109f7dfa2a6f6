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

  @Test(arguments: ["README.md", "Sources/Freshet/Freshet.docc/GettingStarted.md"])
  func `a page installs nothing that the gate does not`(page: String) throws {
    let gate = Set(installed(by: try text(".ci/run")))
    let packages = installed(by: try text(page))

    #expect(packages.count > 3)
    #expect(packages.filter { !gate.contains($0) } == [])
  }
}
