import Foundation

/// A process of its own for one case, because only such a one has a peak of memory of its own.
enum Child {
  /// Does Freshet's part of the case once and prints the peak.
  static func run(_ name: String, _ options: Options) async throws {
    guard let benchmark = Catalogue.cases.first(where: { $0.name == name }) else {
      throw BenchError("no case has the name \(name)")
    }
    let world = try World.joined(options)
    let count = options.count(benchmark.count)
    if let contender = try await benchmark.contenders(world, count).first {
      _ = try await Runner.measure(contender, count)
    }
    print("peak \(Meter.peak)")
  }

  /// The peak of a child in MiB.
  static func peak(of benchmark: Benchmark, _ world: World, _ options: Options) throws -> Double {
    let output = try Command.output(
      Bundle.main.executablePath ?? CommandLine.arguments[0],
      [
        "--child", benchmark.name, "--scale", "\(options.scale)",
        "--server", world.description.joined(separator: ","),
      ]
    )
    let words = output.split(whereSeparator: \.isWhitespace)
    guard words.count == 2, words[0] == "peak", let peak = Double(words[1]) else {
      throw BenchError("the child said: \(output)")
    }
    return peak / 1024
  }
}
