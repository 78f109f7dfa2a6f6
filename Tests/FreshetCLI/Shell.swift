import Foundation

/// What the tests need of a shell.
enum Shell {
  struct Result {
    let status: Int32
    let lines: [String]
    let error: String
  }

  /// Where a command is, or `nil`.
  static func path(_ name: String) -> String? {
    ["/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"].map { "\($0)/\(name)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  static func run(_ path: String, _ arguments: [String], input: String) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (source, output, error) = (
      folder.appending(path: "input"), folder.appending(path: "output"),
      folder.appending(path: "error")
    )
    try Data(input.utf8).write(to: source)
    try Data().write(to: output)
    try Data().write(to: error)
    let process = Process()
    process.executableURL = URL(filePath: path)
    process.arguments = arguments
    process.standardInput = try FileHandle(forReadingFrom: source)
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = try FileHandle(forWritingTo: error)
    try process.run()
    process.waitUntilExit()
    let text = try String(contentsOf: output, encoding: .utf8)
    return Result(
      status: process.terminationStatus,
      lines: text.split(separator: "\n").map(String.init),
      error: try String(contentsOf: error, encoding: .utf8)
    )
  }

  /// The arguments of a command line without the command, up to where its output goes.
  static func words(_ line: String) -> [String] {
    var words: [String] = []
    var isQuoted = false
    var word: String?
    for character in line {
      switch character {
      case "'":
        isQuoted.toggle()
        word = word ?? ""
      case " " where !isQuoted:
        if let word { words.append(word) }
        word = nil
      default:
        word = (word ?? "") + String(character)
      }
    }
    if let word { words.append(word) }
    return Array(words.dropFirst().prefix { $0 != "|" && $0 != ">" })
  }
}
