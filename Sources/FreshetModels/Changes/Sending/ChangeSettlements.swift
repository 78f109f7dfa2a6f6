import Foundation
import Synchronization

/// Those who wait in this process for the end of changes.
final class ChangeSettlements: Sendable {
  private let waiting = Mutex<[UUID: [Weak]]>([:])

  private struct Weak {
    weak var settlement: ChangeSettlement?
  }

  /// The changes whose end somebody waits for.
  var ids: Set<UUID> {
    waiting.withLock { waiting in
      Set(waiting.filter { $0.value.contains { $0.settlement != nil } }.keys)
    }
  }

  func add(_ id: UUID) -> ChangeSettlement {
    let settlement = ChangeSettlement()
    waiting.withLock { waiting in
      // A receipt that nobody has kept is forgotten.
      if waiting.count.nonzeroBitCount == 1 {
        waiting = waiting.filter { $0.value.contains { $0.settlement != nil } }
      }
      waiting[id] = [Weak(settlement: settlement)]
    }
    return settlement
  }

  /// Gives the receipts of a superseded change the end of another one.
  func forward(_ id: UUID, to other: UUID) {
    waiting.withLock { waiting in
      waiting[other, default: []] += waiting.removeValue(forKey: id) ?? []
    }
  }

  func settle(_ id: UUID, _ result: ChangeSettlement.Result) {
    let settled = waiting.withLock { $0.removeValue(forKey: id) ?? [] }
    for weak in settled { weak.settlement?.settle(result) }
  }

  /// Ends the wait for all changes, which stay in the queue.
  func settleAll() {
    let all = waiting.withLock { waiting in
      defer { waiting = [:] }
      return waiting.values.flatMap(\.self)
    }
    for weak in all { weak.settlement?.settle(.refused(nil)) }
  }
}
