import TestSupport

/// A `FreshetProbe`, or another tool of the package, that runs to its end, whatever that is.
enum ProbeRun {
  static func run(tool: String = "FreshetProbe", _ arguments: String...) async throws -> ProgramRun
  {
    try await ProgramRun(Program.built(tool), arguments)
  }
}
