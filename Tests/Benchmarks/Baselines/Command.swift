import Foundation
import TestSupport

/// A program of its own, run to its end.
enum Command {
  /// Runs it and returns what it printed.
  ///
  /// - Throws: What it said on its error output if it failed.
  @discardableResult
  static func output(_ path: String, _ arguments: [String]) throws -> String {
    let (output, errors) = (Pipe(), Pipe())
    let process = try ChildProcess(
      path,
      arguments,
      standards: Standards(output: .pipe(output), error: .pipe(errors))
    )
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    let problem = errors.fileHandleForReading.readDataToEndOfFile()
    guard process.waitForEnd().status == 0 else {
      throw BenchError("\(path): \(String(decoding: problem.prefix(2_000), as: UTF8.self))")
    }
    return text
  }
}

extension Contender {
  /// One `curl` that fetches a URL again and again, over so many connections.
  static func curl(_ url: URL, parallel: Int = 1, share: Double = 1) -> [Contender] {
    guard let curl = Program.path("curl") else { return [] }
    return [
      Contender(name: "curl", share: share) { count, _ in
        // The range in the fragment makes the same request so many times.
        var arguments = ["-sS", "-o", "/dev/null", "\(url.absoluteString)#[1-\(count)]"]
        if parallel > 1 { arguments += ["-Z", "--parallel-max", "\(parallel)"] }
        try Command.output(curl, arguments)
      }
    ]
  }

  /// `wrk` for a second: what the server gives at best.
  static func wrk(_ url: URL, connections: Int) -> [Contender] {
    guard let wrk = Program.path("wrk") else { return [] }
    return [
      Contender(name: "wrk (server's limit)") { count, meter in
        let arguments = ["-t1", "-c\(connections)", "-d1s", url.absoluteString]
        let output = try Command.output(wrk, arguments)
        let words = output.split(whereSeparator: \.isWhitespace)
        guard let index = words.firstIndex(of: "Requests/sec:"), let rate = Double(words[index + 1])
        else { throw BenchError("wrk said: \(output)") }
        meter.set(seconds: Double(count) / rate)
      }
    ]
  }
}
