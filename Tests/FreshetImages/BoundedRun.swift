#if !canImport(Darwin)
import TestSupport

/// A run of a program found by `PATH`, which is ended after a time with all that it has begun.
enum BoundedRun {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// Runs a program and waits for its end.
  ///
  /// - Throws: ``Failure`` with the end of what it wrote, if it does not end with success in time.
  static func run(_ arguments: [String], seconds: Int) async throws {
    guard let timeout = Program.path("timeout") else {
      throw Failure(description: "there is no timeout of coreutils")
    }
    let run = try await ProgramRun(timeout, ["-k", "5", "\(seconds)"] + arguments)
    guard run.status == 0, !run.wasKilled else {
      let status = run.status == 124 ? "took more than \(seconds) s" : "ended with \(run.status)"
      let text = (run.text + run.error).suffix(4_000)
      throw Failure(description: "\(arguments[0]) \(status): \(text)")
    }
  }
}
#endif
