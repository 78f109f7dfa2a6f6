import Foundation

/// A running `FreshetProbe`.
final class ProbeProcess {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var rest = Data()

  init(_ arguments: String...) throws {
    process.executableURL = URL(filePath: CommandLine.arguments[0])
      .deletingLastPathComponent()
      .appending(path: "FreshetProbe")
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  deinit {
    if process.isRunning { process.terminate() }
  }

  /// The next line that it prints, or `nil` at the end.
  func line() throws -> String? {
    while true {
      if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        defer { rest = rest[(end + 1)...] }
        return String(decoding: rest[..<end], as: UTF8.self)
      }
      let bytes = output.fileHandleForReading.availableData
      guard !bytes.isEmpty else { return nil }
      rest.append(bytes)
    }
  }

  /// The number behind the word, in the next line that begins with it.
  func number(_ word: String) throws -> Int? {
    while let line = try line() {
      let parts = line.split(separator: " ")
      if parts.first == Substring(word) { return parts.last.flatMap { Int($0) } }
    }
    return nil
  }

  func goOn() throws {
    try input.fileHandleForWriting.write(contentsOf: Data("\n".utf8))
  }

  /// Ends it at once, whatever it is doing.
  func kill() {
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  func end() -> Int32 {
    process.waitUntilExit()
    return process.terminationStatus
  }
}
