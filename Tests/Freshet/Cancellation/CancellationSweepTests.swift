import Foundation
import FreshetTesting
import Testing

@testable import Freshet

/// Every operation, cancelled at each suspension point that it passes, ends once and leaves nothing.
@Suite(.serialized, .timeLimit(.minutes(2))) struct CancellationSweepTests {
  @Test(arguments: SweptOperation.all, CancellingExecutor.Moment.allCases)
  func `whenever it is cancelled it ends once and leaves nothing behind`(
    operation: SweptOperation,
    moment: CancellingExecutor.Moment
  ) async throws {
    var number = 0
    var endings: [String: Int] = [:]
    while true {
      let world = try await SweptWorld()
      let executor = CancellingExecutor(at: number, moment)
      let ends = Guarded<[String]>([])
      await executor.run {
        let ending: String
        do {
          try await operation.body(world)
          ending = "done"
        } catch is CancellationError {
          ending = "cancelled"
        } catch {
          ending = (error as? FreshetError)?.kind ?? "\(error)"
        }
        ends.value = ends.value + [ending]
      }
      let ending = ends.value
      try #require(ending.count == 1)
      endings[ending[0], default: 0] += 1
      #expect(["done", "cancelled"].contains(ending[0]), "\(operation) at \(number): \(ending)")
      let left = await world.leftovers()
      #expect(left.isEmpty, "\(operation) at \(number), \(moment): \(left)")
      await world.close()
      guard executor.count > number else { break }
      number += 1
    }
    // It was cancelled, and the last time it was not.
    #expect(endings["done", default: 0] >= 1)
    #expect(number > 1)
  }
}
