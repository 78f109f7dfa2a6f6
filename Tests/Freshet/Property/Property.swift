import Foundation
import FreshetTesting
import Testing

/// Random operations against a model: what fails is made as short as it can be and shown with its seed.
///
/// `FRESHET_PROPERTY_RUNS` multiplies the runs, each of which has another seed;
/// `FRESHET_PROPERTY_SEED` begins with another one.
struct Property<Operation: Sendable> {
  /// How many sequences are tried.
  var runs: Int
  /// How long each of them is.
  var length: Int
  /// Makes the next operation.
  let operation: (inout SeededGenerator) -> Operation
  /// Does the operations, and says what did not hold.
  let problem: ([Operation]) async -> String?

  func check(sourceLocation: SourceLocation = #_sourceLocation) async {
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
      Issue.record("seed \(seed): \(last), after\n\(list)", sourceLocation: sourceLocation)
      return
    }
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
