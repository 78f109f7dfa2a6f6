import Foundation
package import FreshetTesting

/// Random operations against a model: what fails is made as short as it can be and shown with its seed.
///
/// `FRESHET_PROPERTY_RUNS` multiplies the runs, each of which has another seed;
/// `FRESHET_PROPERTY_SEED` begins with another one.
package struct Property<Operation: Sendable> {
  private let runs: Int
  private let length: Int
  private let operation: (inout SeededGenerator) -> Operation
  private let problem: ([Operation]) async -> String?

  /// - Parameters:
  ///   - runs: How many sequences are tried.
  ///   - length: How long each of them is.
  ///   - operation: Makes the next operation.
  ///   - problem: Does the operations, and says what did not hold.
  package init(
    runs: Int,
    length: Int,
    operation: @escaping (inout SeededGenerator) -> Operation,
    problem: @escaping ([Operation]) async -> String?
  ) {
    self.runs = runs
    self.length = length
    self.operation = operation
    self.problem = problem
  }

  /// Tries all sequences until one fails.
  ///
  /// - Returns: What did not hold, with the seed and the shortest sequence, or `nil`.
  package func failure() async -> String? {
    let environment = ProcessInfo.processInfo.environment
    let factor = environment["FRESHET_PROPERTY_RUNS"].flatMap { Int($0) } ?? 1
    let first = environment["FRESHET_PROPERTY_SEED"].flatMap { UInt64($0) } ?? 1
    for seed in first..<first + UInt64(runs * factor) {
      var generator = SeededGenerator(seed: seed)
      let operations = (0..<length).map { _ in operation(&generator) }
      guard await problem(operations) != nil else { continue }
      let shortest = await shrunk(operations)
      let last = await problem(shortest) ?? "it holds when it is repeated"
      let list = shortest.map { "\($0)" }.joined(separator: "\n")
      return "seed \(seed): \(last), after\n\(list)"
    }
    return nil
  }

  /// Leaves out whatever can be left out, in ever smaller pieces.
  private func shrunk(_ operations: [Operation]) async -> [Operation] {
    var operations = operations
    var size = operations.count / 2
    while size > 0 {
      var start = 0
      while start < operations.count {
        var fewer = operations
        fewer.removeSubrange(start..<min(start + size, fewer.count))
        if await problem(fewer) != nil {
          operations = fewer
        } else {
          start += size
        }
      }
      size /= 2
    }
    return operations
  }
}
