import Foundation
import TestSupport

/// A `freshet` that is at work, whose lines are read as they come.
final class RunningTool {
  private let process: ChildProcess
  private let lines: PipeLines

  enum Stream {
    case output
    case error
  }

  /// Starts it; the other stream goes to a file.
  init(_ arguments: [String], reading stream: Stream, other: URL) throws {
    let pipe = Pipe()
    lines = PipeLines(pipe)
    process = try ChildProcess(
      Program.built("freshet"),
      arguments,
      standards: stream == .output
        ? Standards(output: .pipe(pipe), error: .file(other))
        : Standards(output: .file(other), error: .pipe(pipe))
    )
  }

  /// The next line, or `nil` at the end.
  func line() async -> String? {
    await lines.next()
  }

  /// Reads lines until one has come for each of the texts that it contains.
  func lines(with texts: [String]) async -> Bool {
    var missing = Set(texts)
    while !missing.isEmpty {
      guard let line = await line() else { return false }
      missing = missing.filter { !line.contains($0) }
    }
    return true
  }

  /// Interrupts it as Control-C does, and returns how it ended.
  func interrupt() async -> ChildProcess.End {
    process.signal(SIGINT)
    return await process.end()
  }

  /// Ends it as Control-\ does, and returns how it ended.
  func quit() async -> ChildProcess.End {
    process.signal(SIGQUIT)
    return await process.end()
  }

  /// Waits until it ends by itself, and returns how it ended.
  func end() async -> ChildProcess.End {
    while await line() != nil {}
    return await process.end()
  }

  /// Ends it as nothing can be prepared for.
  func kill() async {
    process.signal(SIGKILL)
    _ = await process.end()
  }
}
