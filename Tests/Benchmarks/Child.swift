import Foundation

/// A process of its own for one case, because only such a one has a peak of memory of its own.
enum Child {
  /// Does Freshet's part of the case once and prints the peak, and what it was before.
  static func run(_ name: String, _ options: Options) async throws {
    guard let benchmark = Catalogue.cases.first(where: { $0.name == name }) else {
      throw BenchError("no case has the name \(name)")
    }
    let world = try World.joined(options)
    let count = options.count(benchmark.count)
    let base = Meter.peak
    let contenders = try await benchmark.contenders(world, count)
    if let contender = contenders.first(where: { $0.name.hasPrefix(options.only) }) {
      _ = try await Runner.measure(contender, count)
    }
    print("\(Meter.peak) \(base)")
  }

  /// The peak of a child, and what its process has before it does anything, in MiB.
  static func peak(
    of benchmark: Benchmark,
    _ world: World,
    _ options: Options
  ) throws -> (whole: Double, base: Double) {
    let output = try Command.output(
      Bundle.main.executablePath ?? CommandLine.arguments[0],
      [
        "--child", benchmark.name, "--scale", "\(options.scale)",
        "--server", world.description.joined(separator: ","),
      ]
    )
    let sizes = output.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
    guard sizes.count == 2 else { throw BenchError("the child said: \(output)") }
    return (sizes[0] / 1024, sizes[1] / 1024)
  }
}
