import FreshetEssentials
import Synchronization

/// The receipts in this process that wait for the end of changes.
final class ChangeSettlements: Sendable {
  private let state = Mutex(State())

  private struct State {
    var waiting: [UUID: [Weak]] = [:]
    /// The changes that are not in the store yet.
    var unstored: Set<UUID> = []
    /// The changes that were missing in the store while another one was about to be stored.
    var missing: Set<UUID> = []
    var isOver = false

    mutating func settle(_ id: UUID, _ result: ChangeSettlement.Result) {
      unstored.remove(id)
      for weak in waiting.removeValue(forKey: id) ?? [] { weak.settlement?.settle(result) }
    }

    /// Settles what is missing, unless one that is being stored may have taken its place.
    mutating func settleMissing() {
      guard unstored.isEmpty else { return }
      for id in missing { settle(id, .refused(nil)) }
      missing = []
    }
  }

  private struct Weak {
    weak var settlement: ChangeSettlement?
  }

  /// The stored changes with a waiting receipt.
  var ids: Set<UUID> {
    state.withLock { state in
      Set(state.waiting.filter { $0.value.contains { $0.settlement != nil } }.keys)
        .subtracting(state.unstored)
    }
  }

  /// Adds a change that is about to be stored.
  func add(_ id: UUID) -> ChangeSettlement {
    let settlement = ChangeSettlement()
    state.withLock { state in
      // The queue has ended, and would never settle it.
      if state.isOver { return settlement.settle(.refused(nil)) }
      // A released receipt is removed.
      if state.waiting.count.nonzeroBitCount == 1 {
        state.waiting = state.waiting.filter { $0.value.contains { $0.settlement != nil } }
      }
      state.waiting[id] = [Weak(settlement: settlement)]
      state.unstored.insert(id)
    }
    return settlement
  }

  /// Notes that a change is stored, and that what it supersedes was forwarded to it.
  func setStored(_ id: UUID) {
    state.withLock { state in
      state.unstored.remove(id)
      state.settleMissing()
    }
  }

  /// Settles changes that are not in the store any more, once no change that may have superseded one of them is
  /// about to be stored.
  func settle(missing ids: Set<UUID>) {
    state.withLock { state in
      state.missing.formUnion(ids)
      state.settleMissing()
    }
  }

  /// Gives the receipts of a superseded change the end of another one, which it may have already.
  func forward(_ id: UUID, to other: UUID, _ settlement: ChangeSettlement) {
    state.withLock { state in
      let forwarded = state.waiting.removeValue(forKey: id) ?? []
      if let result = settlement.current {
        for weak in forwarded { weak.settlement?.settle(result) }
      } else {
        // A change may be superseded again and again; released receipts do not go along.
        state.waiting[other, default: []] += forwarded.filter { $0.settlement != nil }
      }
    }
  }

  func settle(_ id: UUID, _ result: ChangeSettlement.Result) {
    state.withLock { state in
      state.settle(id, result)
      state.settleMissing()
    }
  }

  /// Ends the wait for all changes, which stay in the queue, and for later ones.
  func settleAll() {
    state.withLock { state in
      for weak in state.waiting.values.joined() { weak.settlement?.settle(.refused(nil)) }
      state = State(isOver: true)
    }
  }
}
