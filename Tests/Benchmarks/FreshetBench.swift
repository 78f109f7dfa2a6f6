import Foundation

/// Measures Freshet beside its baselines: `freshet-bench [--json] [--rounds N] [--scale F] [NAME…]`.
///
/// `--list` names the cases. `--scale` multiplies the work of each case, 1 by default; very small
/// values only show that a case runs. Names may be the beginnings of names. `--only freshet` leaves
/// out the contenders whose names begin otherwise, for a profiler; `--no-memory` leaves out the run
/// in a process of its own, which tells the peak of memory.
///
/// A ratio is Freshet's figure over the baseline's: more is better for rates, less for costs.
@main
struct FreshetBench {
  static func main() async {
    do {
      try await run()
    } catch {
      FileHandle.standardError.write(Data("freshet-bench: \(error)\n".utf8))
      exit(1)
    }
  }

  private static func run() async throws {
    let options = try Options(CommandLine.arguments.dropFirst())
    if let child = options.child {
      return try await Child.run(child, options)
    }
    let cases = Catalogue.cases.filter { options.wants($0.name) }
    guard !options.isListing else {
      for one in cases { print(one.name) }
      return
    }
    guard !cases.isEmpty else { throw BenchError("no case has this name; --list names them") }
    let world = try await World.start(options)
    defer { world.stop() }
    for one in cases {
      if let result = try await Runner(world: world, options: options).run(one) {
        Report.print(result, asJSON: options.isJSON)
      } else {
        FileHandle.standardError.write(Data("\(one.name): left out, it needs nginx\n".utf8))
      }
    }
  }
}

/// Something that a benchmark needs is not as it has to be.
struct BenchError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
