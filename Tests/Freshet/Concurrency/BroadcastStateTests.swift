import FreshetTesting
import Testing

@testable import Freshet

/// The state of a broadcast, against a list of all values and the place of each reader in it.
@Suite struct BroadcastStateTests {
  private typealias State = BroadcastState<Int, FreshetError>

  private struct Model {
    var sent: [Int] = []
    /// The number of the first buffered value.
    var first = 0
    var places: [Int: Int] = [:]

    var bufferedCount: Int { sent.count - first }

    mutating func trim() {
      first = max(first, min(places.values.min() ?? sent.count, sent.count - 1))
    }
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func `each reader gets the values from its place on, and the rest is dropped`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var state = State(limit: 3)
    var model = Model()

    for number in 0..<5_000 {
      let reader = model.places.keys.sorted().randomElement(using: &generator)
      switch Int.random(in: 0..<12, using: &generator) {
      case 0:
        let id = state.join()
        model.places[id] = max(model.first, model.sent.count - 1)
      case 1:
        guard let reader else { continue }
        _ = state.leave(reader)
        model.places[reader] = nil
        model.trim()
      case 2..<4:
        _ = state.send(number)
        model.sent.append(number)
        model.trim()
      default:
        guard let reader, let place = model.places[reader] else { continue }
        let value: Int? =
          if case .event(.value(let value)) = state.step(reader).0 { value } else { nil }
        #expect(value == (place < model.sent.count ? model.sent[place] : nil))
        if value != nil { model.places[reader] = place + 1 }
        model.trim()
      }
      #expect(state.isFull == (model.bufferedCount > 3))
    }
    #expect(model.sent.count > 100)
  }

  @Test func `a cancelled reader gets no progress that came before the end`() {
    var state = State(limit: 3)
    let reader = state.join()
    _ = state.send(TransferProgress(completed: 6))
    _ = state.finish(.failed(.cancelled))
    _ = state.cancel(reader)

    guard case .end(.failed(.cancelled)) = state.step(reader).0 else {
      Issue.record("it gets more than the end")
      return
    }
  }
}
