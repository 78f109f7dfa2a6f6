import Freshet

/// `freshet tour`: shows the framework with an origin on loopback, step by step.
struct TourCommand: RunnableCommand {
  @MainActor
  func run() async -> ExitStatus {
    do throws(FreshetError) {
      let world = try TourWorld()
      for (number, step) in TourStep.all.enumerated() {
        try Console.out("\n\(number + 1). \(step.title)\n")
        try Console.out(
          step.code.split(separator: "\n").map { "    \($0)" }.joined(separator: "\n")
        )
        try Console.out("")
        try await step.run(world)
      }
      await world.end()
      try Console.out("\nThat was 'freshet tour'. Try 'freshet fetch --help' next.")
      return .success
    } catch {
      Console.error("freshet: the tour failed: \(error)")
      return .failure
    }
  }
}

/// One step of the tour: its title, its code as text, and the code itself.
struct TourStep: Sendable {
  let title: String
  let code: String
  let run: @MainActor (TourWorld) async throws(FreshetError) -> Void
}
