#if !canImport(Darwin)
import Foundation
import Freshet
import FreshetTesting
import Synchronization

/// The tasks of a storm: each begins something, cancels it, and begins anew.
final class StormRun: Sendable {
  /// What has become of the attempts at one operation.
  struct Account: Sendable {
    var tried = 0
    var whole = 0
    var left = 0
    var cancelled = 0
    var problems: [String] = []
  }

  private struct State {
    var number = 0
    var accounts: [StormOperation: Account] = [:]
    /// What each task is at, and since when.
    var current: [Int: (String, ContinuousClock.Instant)] = [:]
  }

  static let taskCount = 24

  private let world: StormWorld
  private let state = Mutex(State())

  init(_ world: StormWorld) {
    self.world = world
  }

  var accounts: [StormOperation: Account] { state.withLock(\.accounts) }

  var attemptCount: Int { accounts.values.reduce(0) { $0 + $1.tried } }

  /// Lets all tasks run for so long; what hangs, once it has for a minute, and is left behind then.
  ///
  /// - Parameters:
  ///   - duration: How long they begin anew.
  ///   - operation: What all of them do; anything by default.
  /// - Returns: What hangs.
  func blow(for duration: Duration, only operation: StormOperation? = nil) async -> [String] {
    let deadline = ContinuousClock.now + duration
    for place in 0..<Self.taskCount {
      // Something is under way from here on, so that no task is overlooked that has not begun.
      state.withLock { $0.current[place] = ("the first attempt", .now) }
      Task { await attempts(place, until: deadline, only: operation) }
    }
    while true {
      let current = state.withLock(\.current).values
      if current.isEmpty { return [] }
      let stuck = current.filter { $0.1.duration(to: .now) > .seconds(60) }
      if !stuck.isEmpty { return stuck.map { "\($0.0) hangs" } }
      try? await Task.sleep(for: .milliseconds(5))
    }
  }

  private func attempts(
    _ place: Int,
    until deadline: ContinuousClock.Instant,
    only single: StormOperation?
  ) async {
    while ContinuousClock.now < deadline {
      let number = state.withLock { state in
        state.number += 1
        return state.number
      }
      var generator = SeededGenerator(seed: UInt64(number))
      let operation = single ?? StormOperation.allCases.randomElement(using: &generator) ?? .batch
      let patience = Self.patience(using: &generator)
      state.withLock { $0.current[place] = ("\(operation), attempt \(number)", .now) }
      let attempt = StormAttempt(world, isCancelled: patience != nil, generator)
      let task = Task(priority: number % 3 == 0 ? .high : nil) { await attempt.make(operation) }
      if let patience {
        try? await Task.sleep(for: patience)
        task.cancel()
      }
      note(operation, number, await task.value, wasCancelled: patience != nil)
    }
    state.withLock { _ = $0.current.removeValue(forKey: place) }
  }

  /// When it is cancelled: mostly after zero to three whole milliseconds, so that the timers of many
  /// tasks fire together, else somewhere between, and one in sixteen never.
  private static func patience(using generator: inout SeededGenerator) -> Duration? {
    switch Int.random(in: 0..<16, using: &generator) {
    case 0: nil
    case 1: .microseconds(Int.random(in: 0..<30_000, using: &generator))
    case 2...5: .microseconds(Int.random(in: 0..<3_000, using: &generator))
    default: .milliseconds(Int.random(in: 0...3, using: &generator))
    }
  }

  private func note(
    _ operation: StormOperation,
    _ number: Int,
    _ ending: StormEnding,
    wasCancelled: Bool
  ) {
    state.withLock { state in
      var account = state.accounts[operation] ?? Account()
      account.tried += 1
      switch ending {
      case .whole: account.whole += 1
      case .left: account.left += 1
      case .cancelled:
        account.cancelled += 1
        if !wasCancelled { account.problems.append("\(number) was cancelled by nobody") }
      case .wrong(let problem): account.problems.append("\(number): \(problem)")
      }
      state.accounts[operation] = account
    }
  }
}
#endif
