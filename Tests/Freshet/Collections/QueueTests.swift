import FreshetTesting
import Testing

@testable import Freshet

@Suite struct QueueTests {
  @Test(arguments: [1, 2, 3] as [UInt64])
  func `behaves like an array for any operations`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var queue = Queue<Int>()
    var model: [Int] = []

    for step in 0..<5_000 {
      switch Int.random(in: 0..<10, using: &generator) {
      case 0..<5:
        queue.append(step)
        model.append(step)
      case 5..<8:
        let (popped, expected) = (queue.popFirst(), model.isEmpty ? nil : model.removeFirst())
        #expect(popped == expected)
      case 8 where !model.isEmpty:
        let place = Int.random(in: 0..<model.count, using: &generator)
        queue.update(at: place, -step)
        model[place] = -step
      case 9 where step.isMultiple(of: 7):
        queue.removeAll { $0.isMultiple(of: 3) }
        model.removeAll { $0.isMultiple(of: 3) }
      default:
        break
      }
      #expect(queue.count == model.count && queue.first == model.first)
    }
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `in ascending order, elements are removed and inserted in their places`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var queue = Queue<Int>()
    var model: [Int] = []

    for step in 0..<5_000 {
      let other = Int.random(in: 0...step, using: &generator)
      switch Int.random(in: 0..<10, using: &generator) {
      case 0..<5:
        queue.append(step)
        model.append(step)
      case 5..<7:
        let (popped, expected) = (queue.popFirst(), model.isEmpty ? nil : model.removeFirst())
        #expect(popped == expected)
      case 7:
        queue.remove(other)
        model.removeAll { $0 == other }
      default:
        guard !model.contains(other), other < model.last ?? 0 else { continue }
        queue.insert(other)
        model.insert(other, at: model.firstIndex { $0 > other } ?? model.endIndex)
      }
      #expect(queue.count == model.count && queue.first == model.first)
    }
    while let element = queue.popFirst() { #expect(element == model.removeFirst()) }
    #expect(model.isEmpty)
  }
}
