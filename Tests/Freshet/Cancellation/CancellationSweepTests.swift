import Foundation
import FreshetTesting
import Testing

@testable import Freshet

/// Every operation, cancelled at each suspension point that it passes, ends once and leaves nothing.
///
/// The plain suite takes some of the points; the laboratory sets `FRESHET_SWEEP` and takes all.
@Suite(.serialized, .timeLimit(.minutes(30))) struct CancellationSweepTests {
  private static let isWhole = ProcessInfo.processInfo.environment["FRESHET_SWEEP"] != nil

  @Test(arguments: SweptOperation.all)
  func `cancelling at any moment ends once and leaves nothing behind`(
    operation: SweptOperation
  ) async throws {
    // Nothing is cancelled the first time.
    let whole = try await sweep(operation, at: .max, .beforeJob)
    #expect(whole.ending == .done)
    var endings: Set<SweptEnding> = []
    for (number, moment) in points(below: whole.count, operation) {
      endings.insert(try await sweep(operation, at: number, moment).ending)
    }

    #expect(endings.isSubset(of: [.done, .cancelled]), "\(operation): \(endings)")
    if operation.manner == .stops { #expect(endings.contains(.cancelled), "\(operation)") }
  }

  /// All, or the first and another.
  private func points(
    below count: Int,
    _ operation: SweptOperation
  ) -> [(Int, CancellingExecutor.Moment)] {
    guard !Self.isWhole else {
      return CancellingExecutor.Moment.allCases.flatMap { moment in
        (0...count).map { ($0, moment) }
      }
    }
    var generator = SeededGenerator(seed: UInt64(operation.testDescription.utf8.count))
    return [
      (0, .beforeJob), (Int.random(in: 0..<max(1, count), using: &generator), .afterJob),
    ]
  }

  private func sweep(
    _ operation: SweptOperation,
    at number: Int,
    _ moment: CancellingExecutor.Moment
  ) async throws -> (ending: SweptEnding, count: Int) {
    let world = try await SweptWorld()
    let executor = CancellingExecutor(at: number, moment)
    let ending = Guarded<SweptEnding?>(nil)
    await executor.run { ending.value = await operation.ending(in: world) }
    let left = await world.leftovers()
    #expect(left.isEmpty, "\(operation) at \(number), \(moment): \(left)")
    return (try #require(ending.value), executor.count)
  }

  @Test(
    arguments: SweptOperation.all.filter { $0.manner == .stops },
    isWhole ? [.beforeHead, .afterChunks(0)] : [ScriptedResponse.Point.afterChunks(0)]
  )
  func `cancelling does not wait for an origin that does not answer`(
    operation: SweptOperation,
    point: ScriptedResponse.Point
  ) async throws {
    var number = 0
    while number < 20 {
      let world = try await SweptWorld()
      world.origin.hold(from: number, at: point)
      let task = Task { await operation.ending(in: world) }
      // Whichever is first: somebody waits for the origin, or the operation has ended.
      let arrival = Task { await world.origin.gate.waiting() }
      let watcher = Task {
        _ = await task.value
        arrival.cancel()
      }
      let isHeld = await arrival.value
      task.cancel()
      let ending = await task.value
      await watcher.value
      let left = await world.leftovers()

      #expect(left.isEmpty, "\(operation), exchange \(number): \(left)")
      guard isHeld else {
        #expect(ending == .done, "\(operation), exchange \(number)")
        break
      }
      #expect(ending == .cancelled, "\(operation), exchange \(number)")
      number += 1
    }
    #expect(number < 20)
  }

  @Test(arguments: SweptOperation.endless)
  func `cancelling does not wait for an event that never comes`(
    operation: SweptOperation
  ) async throws {
    for yields in Self.isWhole ? Array(stride(from: 0, to: 2_000, by: 20)) : [500] {
      let world = try await SweptWorld(passesTime: false)
      let task = Task { await operation.ending(in: world) }
      for _ in 0..<yields { await Task.yield() }

      task.cancel()
      let ending = await task.value

      #expect(ending == .cancelled, "\(operation) after \(yields)")
      let left = await world.leftovers()
      #expect(left.isEmpty, "\(operation) after \(yields): \(left)")
    }
  }
}
