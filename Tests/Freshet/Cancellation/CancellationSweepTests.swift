import Foundation
import FreshetTesting
import Testing

@testable import Freshet

/// Every operation, cancelled at each suspension point that it passes, ends once and leaves nothing.
///
/// After the first few, the plain suite takes some of them; the laboratory sets
/// `FRESHET_SWEEP` and takes all.
@Suite(.serialized, .timeLimit(.minutes(30))) struct CancellationSweepTests {
  private let step = ProcessInfo.processInfo.environment["FRESHET_SWEEP"] == nil ? 29 : 1

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
      number += number < 4 ? 1 : step
    }
    // It was cancelled, and the last time it was not.
    #expect(endings["done", default: 0] >= 1)
  }
}
