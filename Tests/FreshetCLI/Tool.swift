import TestSupport

/// The built `freshet`, run as a user runs it.
enum Tool {
  static func run(_ arguments: String...) async throws -> ProgramRun {
    try await run(arguments)
  }

  static func run(_ arguments: [String]) async throws -> ProgramRun {
    try await ProgramRun(Program.built("freshet"), arguments)
  }
}
