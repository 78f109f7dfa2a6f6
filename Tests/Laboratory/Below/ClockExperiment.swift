#if os(Linux)
import Foundation
import Freshet
import FreshetTesting
import Synchronization

/// A clock that jumps back and forth by up to twenty years between any two looks at it.
struct ClockExperiment {
  let bench: Bench
  let notebook: Notebook

  func run() async throws {
    let generator = Mutex(SeededGenerator(seed: 4))
    let jumping: @Sendable () -> Date = {
      let years = 20.0 * 365 * 86_400
      return Date(
        timeIntervalSinceNow: generator.withLock { Double.random(in: -years...years, using: &$0) }
      )
    }
    let disk = DiskStore(directory: bench.folder("clock"))
    let client = Client {
      $0.transport = Specimen.origin
      $0.disk = disk
      $0.now = jumping
    }
    let count = bench.options.isLong ? 20_000 : 2_000
    var problems: [String] = []
    for round in 0..<count {
      let specimen = Specimen(number: round % 17)
      var policy = ResourcePolicy()
      if round % 3 == 0 { policy.stale = .beforeValidation }
      if round % 5 == 0, round > 100 { policy.network = .forbidden }
      do {
        let value = try await client.resource(specimen.request, policy: policy).value
        if try !value.data().elementsEqual(specimen.body) { problems.append("round \(round)") }
      } catch {
        problems.append("round \(round): \(error)")
      }
    }
    await disk.close()
    notebook.note("fetches under a clock that jumps", count: count, problems: problems)
  }
}
#endif
