#if !canImport(Darwin)
import Foundation
import Freshet
import FreshetTesting
import Synchronization

/// A clock that jumps back and forth by up to twenty years between any two looks at it.
struct ClockExperiment {
  let bench: Bench
  let notebook: Notebook

  func run() async throws {
    try await fetch()
    for store in ["memory", "disk", "memory and disk"] { try await change(store) }
  }

  private func jumping(_ seed: UInt64, by span: TimeInterval) -> @Sendable () -> Date {
    let generator = Mutex(SeededGenerator(seed: seed))
    return {
      Date(timeIntervalSinceNow: generator.withLock { .random(in: -span...span, using: &$0) })
    }
  }

  private func fetch() async throws {
    let jumping = jumping(4, by: 20 * 365 * 86_400)
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

  /// Resources that change, while a slow fetch is on its way in every fourth round: whatever the clock shows, no
  /// fetch that begins after a change gets what was true before.
  private func change(_ store: String) async throws {
    var generator = SeededGenerator(seed: 23)
    let origin = ChangingOrigin()
    let disk = DiskStore(directory: bench.folder("clock, \(store)"))
    let jumping = jumping(5, by: 4 * 86_400)
    let client = Client {
      $0.transport = origin.transport
      $0.memory = store == "disk" ? nil : MemoryStore()
      $0.disk = store == "memory" ? nil : disk
      $0.now = jumping
    }
    let count = bench.options.isLong ? 20_000 : 1_000
    var problems: [String] = []
    for round in 0..<count {
      let number = Int.random(in: 0..<17, using: &generator)
      let url = Specimen(number: number).url
      do {
        switch Int.random(in: 0..<4, using: &generator) {
        case 0:
          let gate = origin.holdNext()
          let slow = Request(.get, url, headers: ["X-Slow": "1"])
          let fetch = client.resource(slow, policy: ResourcePolicy { $0.network = .required })
          let late = Task { try await fetch.value }
          await gate.waiting()
          for _ in 0..<Int.random(in: 1...2, using: &generator) {
            _ = try await client.send(Request(.put, url)).value
          }
          gate.open()
          _ = try await late.value
        case 1: _ = try await client.send(Request(.put, url)).value
        default: break
        }
        let value = try await client.resource(Request(.get, url)).value
        let isRight = try value.data() == origin.body(number)
        if !isRight { problems.append("round \(round): \(value.source), from before a change") }
      } catch {
        problems.append("round \(round): \(error)")
      }
    }
    await disk.close()
    notebook.note("changes under a clock that jumps, \(store)", count: count, problems: problems)
  }
}
#endif
