import Freshet
import FreshetTesting
import Testing

/// One operation of the public interface, done once.
struct SweptOperation: Sendable, CustomTestStringConvertible {
  /// What becomes of it when its task is cancelled.
  enum Manner: Sendable, Hashable {
    /// It ends as cancelled.
    case stops
    /// It goes on to its end, for the reason given: that is short, and half of it would be worse.
    case finishes(String)
  }

  let testDescription: String
  /// What it sweeps, as ``PublicOperations`` names it.
  let covered: [String]
  let manner: Manner
  let body: @Sendable (SweptWorld) async throws -> Void

  init(
    _ name: String,
    of covered: String...,
    manner: Manner = .stops,
    _ body: @escaping @Sendable (SweptWorld) async throws -> Void
  ) {
    testDescription = name
    self.covered = covered
    self.manner = manner
    self.body = body
  }

  /// Those that end by themselves.
  static let all = calls + streams + resources + batches + stores + models

  /// Those that wait for something that never comes, whatever is cancelled or answered.
  static let endless = waits

  /// Does it once.
  func ending(in world: SweptWorld) async -> SweptEnding {
    do {
      try await body(world)
      return .done
    } catch {
      return SweptEnding(error)
    }
  }
}
