import Foundation

/// Runs one case: its contenders by turns, round after round.
struct Runner {
  let world: World
  let options: Options

  struct Result: Sendable {
    let benchmark: Benchmark
    var entries: [Entry] = []
    var peak: (whole: Double, base: Double)?
    /// What twice the work cost in units of the single one.
    var doubling: Double?
  }

  struct Entry: Sendable {
    let name: String
    var values: [Double] = []
    var cpu: [Double] = []
    var switches: [Double] = []
  }

  /// `nil` if the case needs what the server cannot do.
  func run(_ benchmark: Benchmark) async throws -> Result? {
    let count = options.count(benchmark.count)
    var result = Result(benchmark: benchmark)
    let contenders = try await benchmark.contenders(world, count)
      .filter { $0.name.hasPrefix(options.only) }
    guard !contenders.isEmpty else { return nil }
    result.entries = contenders.map { Entry(name: $0.name) }
    var doubled: [Double] = []
    for contender in contenders {
      _ = try await Self.measure(contender, max(1, count / 20))
    }
    for round in 0..<options.rounds {
      // Each round begins with another one, so that no place in the order is anyone's.
      for turn in contenders.indices {
        let index = (turn + round) % contenders.count
        let contender = contenders[index]
        let amount = max(1, Int(Double(count) * contender.share))
        let sample = try await Self.measure(contender, amount)
        let seconds = sample.seconds
        result.entries[index].values.append(benchmark.unit.value(seconds: seconds, count: amount))
        result.entries[index].cpu.append(sample.cpu * 1e6 / Double(amount))
        result.entries[index].switches.append(Double(sample.switches) / Double(amount))
        if index == 0, benchmark.doubles {
          let twice = try await Self.measure(contender, amount * 2)
          doubled.append(twice.seconds / seconds)
        }
      }
    }
    result.doubling = doubled.isEmpty ? nil : doubled.median
    if options.measuresMemory { result.peak = try Child.peak(of: benchmark, world, options) }
    return result
  }

  /// On the cooperative pool: the main actor belongs to nobody's measurement.
  @concurrent
  static func measure(_ contender: Contender, _ count: Int) async throws -> Meter.Sample {
    let meter = Meter()
    meter.restart()
    try await contender.run(count, meter)
    return meter.sample
  }
}

extension [Double] {
  var median: Double {
    guard !isEmpty else { return .nan }
    let sorted = sorted()
    return count % 2 == 1
      ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2
  }

  /// Half the distance between the largest and the smallest, in parts of the median.
  var spread: Double {
    guard let low = self.min(), let high = self.max(), median > 0 else { return 0 }
    return (high - low) / 2 / median
  }
}
