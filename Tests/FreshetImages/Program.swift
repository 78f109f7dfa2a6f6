#if os(Linux)
import Foundation
import FreshetTesting

/// Another program, found by `PATH`, which is ended after a time with all that it has begun.
enum Program {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// Runs a program and waits for its end.
  ///
  /// - Throws: ``Failure`` with the end of what it wrote, if it does not end with success in time.
  static func run(_ arguments: [String], seconds: Int, in directory: URL) async throws {
    let (output, error) = (directory.appending(path: "out"), directory.appending(path: "err"))
    let end = try await Spawned.run(
      URL(filePath: "/usr/bin/timeout"),
      ["-k", "5", "\(seconds)"] + arguments,
      output: output,
      error: error
    )
    guard end.status == 0, !end.wasKilled else {
      let text = [output, error].compactMap { try? String(contentsOf: $0, encoding: .utf8) }
        .joined()
      let status = end.status == 124 ? "took more than \(seconds) s" : "ended with \(end.status)"
      throw Failure(description: "\(arguments[0]) \(status): \(text.suffix(4_000))")
    }
  }
}
#endif
