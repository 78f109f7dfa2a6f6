#if !canImport(Darwin)
import Foundation
import FreshetTesting
import TestSupport

/// What the compiler says of pieces of code that use the built module, all in one run.
enum TypeCheck {
  /// The errors of each piece, in the order of the pieces; those of no piece come first.
  static func errors(of pieces: [String]) async throws -> [[String]] {
    let folder = try TemporaryDirectory()
    defer { withExtendedLifetime(folder) {} }
    try write(prelude, to: folder.file("prelude.swift"))
    var files = [folder.file("prelude.swift").path]
    for (index, piece) in pieces.enumerated() {
      let file = folder.file("piece-\(index).swift")
      try write(function(piece), to: file)
      files.append(file.path)
    }
    let modules = ["CZlib", "CLinux", "CCurl", "CSQLite", "CCrypto"]
      .flatMap {
        ["-I", DocumentationTests.root.appending(path: "Sources/\($0)").path]
      }
    // File by file, the compiler would stop at the first that has an error.
    let arguments =
      ["swiftc", "-typecheck", "-wmo", "-swift-version", "6", "-I", Program.built("Modules")]
      + modules
    // Found by `env`, since a toolchain may be anywhere.
    let run = try await ProgramRun(Program.path("env") ?? "env", arguments + files)
    var errors = Array(repeating: [String](), count: pieces.count)
    for line in run.error.split(separator: "\n") {
      guard let match = line.firstMatch(of: /piece-(\d+)\.swift:\d+:\d+: error: (.*)/),
        let index = Int(match.output.1)
      else {
        if line.contains("error:"), !line.hasPrefix(" ") { throw Failure(text: String(line)) }
        continue
      }
      errors[index].append(String(match.output.2))
    }
    // It has not compiled them if it fails without an error in one of them.
    guard run.status == 0 || errors.contains(where: { !$0.isEmpty }) else {
      throw Failure(text: "\(run.status): \(run.error.suffix(1_000))")
    }
    return errors
  }

  struct Failure: Error {
    let text: String
  }

  private static func write(_ text: String, to file: URL) throws {
    try Data(text.utf8).write(to: file)
  }

  private static let prelude = """
    import Foundation
    import Freshet

    struct User: Codable, Sendable { var id: Int; var name: String }
    struct Fault: Decodable, Sendable { var message: String }
    struct ShowUser: Endpoint {
      typealias Output = User
      typealias Failure = Fault
      var path: RequestPath { "users/7" }
    }
    """

  private static func function(_ piece: String) -> String {
    """
    import Foundation
    import Freshet

    private func piece(client: Client, url: URL, draft: User) async throws {
    \(piece)
    }
    """
  }
}
#endif
