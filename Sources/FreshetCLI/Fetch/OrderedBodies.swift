import Foundation
import Freshet

/// Writes bodies to standard output in the order of their URLs, each whole.
struct OrderedBodies {
  private var waiting: [Int: FetchCommand.Outcome] = [:]
  private var next = 0

  /// Writes all that is due after this outcome; `false` if a body could not be read.
  mutating func write(_ outcome: FetchCommand.Outcome) async -> Bool {
    waiting[outcome.index] = outcome
    var succeeded = true
    while let due = waiting.removeValue(forKey: next) {
      next += 1
      guard let body = due.body else { continue }
      do {
        for try await chunk in body.chunks {
          Console.write(chunk, to: .standardOutput)
        }
      } catch {
        Console.error("freshet: \(error)")
        succeeded = false
      }
    }
    return succeeded
  }
}
