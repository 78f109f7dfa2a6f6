import Foundation
import FreshetTesting
import TestSupport
import Testing

@testable import Freshet

/// The sums of a batch, against a list of its items that is added up anew each time.
@Suite struct BatchAccountPropertyTests {
  private enum Operation: Sendable {
    case offer(Int64?)
    case start(Int)
    case advance(Int, Int64, Int64?)
    case end(Int, Int64?, failed: Bool)
    case close
    case ask

    static func random(_ generator: inout SeededGenerator) -> Operation {
      let place = Int.random(in: 0..<8, using: &generator)
      let sizes: [Int64?] = [nil, 0, 1, 100, 4_096, .max]
      let size = sizes.randomElement(using: &generator) ?? nil
      switch Int.random(in: 0..<12, using: &generator) {
      case 0..<3: return .offer(size)
      case 3..<6: return .start(place)
      case 6..<9:
        return .advance(place, Int64.random(in: 0..<5_000, using: &generator), size)
      case 9: return .end(place, size == .max ? nil : size, failed: place % 3 == 0)
      case 10: return place == 0 ? .close : .ask
      default: return .ask
      }
    }
  }

  private struct Item {
    var size: Int64?
    var isRunning = false
    var isOver = false
    var completed: Int64 = 0
  }

  private struct Model {
    var account = BatchAccount(now: .zero)
    var items: [Item] = []
    var ended: Int128 = 0
    var failed = 0
    var isClosed = false
    var highest = 0.0
    var now = Duration.zero

    mutating func apply(_ operation: Operation) -> String? {
      now += .milliseconds(70)
      switch operation {
      case .offer(let size):
        if !isClosed {
          account.offer(size: size)
          items.append(Item(size: size))
        }
      case .start(let place):
        guard items.indices.contains(place), !items[place].isRunning, !items[place].isOver else {
          return nil
        }
        account.start(place, offered: items[place].size, size: items[place].size)
        items[place].isRunning = true
      case .advance(let place, let completed, let total):
        let inherited = place % 3 == 0 ? completed / 2 : 0
        account.advance(
          place,
          TransferProgress(completed: completed, total: total, inherited: inherited),
          now: now
        )
        guard items.indices.contains(place), items[place].isRunning else { return nil }
        items[place].completed = max(items[place].completed, completed)
        if let size = total ?? items[place].size {
          items[place].size = max(size, items[place].completed)
        }
      case .end(let place, let bytes, let hasFailed):
        account.end(place, bytes: bytes, failed: hasFailed, now: now)
        guard items.indices.contains(place), items[place].isRunning else { return nil }
        items[place].isRunning = false
        items[place].isOver = true
        ended += Int128(max(items[place].completed, bytes ?? 0))
        failed += hasFailed ? 1 : 0
      case .close:
        account.close()
        isClosed = true
      case .ask:
        return problem()
      }
      return nil
    }

    mutating func problem() -> String? {
      let progress = account.progress(now: now)
      let left = items.filter { !$0.isOver }
      let running = left.filter(\.isRunning)
      let completed = running.reduce(ended) { $0 + Int128($1.completed) }
      let total = left.reduce(ended) { $0 + Int128($1.size ?? 0) }
      let isKnown = isClosed && left.allSatisfy { $0.size != nil }
      if progress.completedBytes != Int64(clamping: completed) { return "other bytes are done" }
      if progress.totalBytes != (isKnown ? Int64(clamping: total) : nil) { return "another total" }
      if progress.endedItems != items.count - left.count { return "other items have ended" }
      if progress.failedItems != failed { return "other items have failed" }
      if progress.totalItems != items.count { return "other items are known" }
      guard let fraction = progress.fraction else { return isClosed ? "no fraction" : nil }
      if !(0...1).contains(fraction) || fraction < highest { return "the fraction \(fraction)" }
      if fraction == 1, !left.isEmpty { return "it is done before it is" }
      highest = fraction
      return progress.timeLeft.map { $0 >= .zero } ?? true ? nil : "it is over in the past"
    }
  }

  @Test func `a batch's sums equal those of its items`() async {
    let property = Property(runs: 400, length: 50, operation: Operation.random) { operations in
      var model = Model()
      for operation in operations {
        if let problem = model.apply(operation) { return problem }
      }
      return model.problem()
    }

    if let failure = await property.failure() { Issue.record("\(failure)") }
  }
}
