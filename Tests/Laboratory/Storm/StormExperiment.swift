#if !canImport(Darwin)
import Foundation
import Freshet
import FreshetTesting
import TestSupport

/// Twenty-four tasks begin batches, fetches, shared and live ones, cancel them within milliseconds, and
/// begin anew; afterwards everything has ended, and the same clients work.
///
/// A use of what is no longer there ends the process, or is a report where a sanitizer watches.
struct StormExperiment {
  let bench: Bench
  let notebook: Notebook

  func run() async throws {
    let server = try await ServerProcess("/proc/self/exe", ["--serve", "storm"])
    defer { server.stop() }
    // What a process makes once, such as the pool's threads, is there before anything is counted.
    _ = try await storm(server, "rehearsal", seconds: 1, rounds: 1)
    let before = Census.take()
    let seconds = bench.options.seconds ?? (bench.options.isLong ? 240 : 8)
    let left = try await storm(server, "storm", seconds: seconds, rounds: max(20, seconds / 4))
    let problems = await Census.settle(before, left, seconds: 20)
    notebook.check("what the process holds afterwards", problems: problems)
  }

  /// Makes a world, storms in rounds, and ends it; the folders in which no file may be left.
  private func storm(
    _ server: ServerProcess,
    _ name: String,
    seconds: Int,
    rounds: Int
  ) async throws -> [URL] {
    let world = StormWorld(server, in: bench.folder(name))
    let run = StormRun(world)
    var curve: [Growth.Point] = []
    for round in 0..<rounds {
      let operation = Self.operation(in: round)
      var problems = await run.blow(for: .seconds(seconds) / rounds, only: operation)
      if problems.isEmpty { problems = await world.settle(seconds: 20) }
      guard problems.isEmpty else {
        report(run)
        notebook.check("all that was cancelled has ended", problems: problems)
        throw LabError("what hangs is in the way of all that follows")
      }
      curve.append(Growth.Point(run.attemptCount, Census.take(world.folders)))
    }
    let (count, problems) = await world.lookBack()
    await world.close()
    report(run)
    notebook.note("the same clients afterwards", count: count, problems: problems)
    if rounds > 1 {
      let growth = Growth(curve)
      notebook.say(growth.description)
      notebook.check("what the process holds", problems: growth.problems(limit: 1_024))
    }
    return [bench.temporary] + world.folders
  }

  /// What all tasks do in a round: anything, only batches, or only one of the others.
  private static func operation(in round: Int) -> StormOperation? {
    switch round % 3 {
    case 0: nil
    case 1: .batch
    default: StormOperation.allCases[(round / 3) % StormOperation.allCases.count]
    }
  }

  private func report(_ run: StormRun) {
    for (operation, account) in run.accounts.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      notebook.say(
        "\(operation): \(account.tried) tried, \(account.cancelled) cancelled, \(account.whole) whole, "
          + "\(account.left) left"
      )
      notebook.note("\(operation)", count: account.tried, problems: account.problems)
    }
  }
}
#endif
