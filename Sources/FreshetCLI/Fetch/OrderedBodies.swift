import Foundation
import Freshet

/// Writes bodies to standard output in the order of their places, each whole.
struct OrderedBodies {
  private var waiting: [Int: ResourceBody?] = [:]
  private var next = 0

  /// Writes all that is due after this body, or after a place without one; `false` if a body could
  /// not be read or written.
  mutating func write(_ body: ResourceBody?, at place: Int) async -> Bool {
    waiting[place] = .some(body)
    var succeeded = true
    while let due = waiting.removeValue(forKey: next) {
      next += 1
      guard let body = due else { continue }
      do {
        for try await chunk in body.chunks {
          try Console.write(chunk)
        }
      } catch {
        Console.error("freshet: \(error)")
        succeeded = false
      }
    }
    return succeeded
  }
}
