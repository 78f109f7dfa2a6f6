import FreshetTesting
import Testing

@testable import Freshet

@Suite struct MinHeapTests {
  @Test(arguments: [1, 2, 3] as [UInt64])
  func `behaves like a sorted array for any operations`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var heap = MinHeap()
    var model: [Int] = []

    for _ in 0..<5_000 {
      switch Int.random(in: 0..<20, using: &generator) {
      case 0..<11:
        let number = Int.random(in: 0..<1_000, using: &generator)
        heap.insert(number)
        model.append(number)
        model.sort()
      case 19 where model.count > 50:
        heap.keep { !$0.isMultiple(of: 3) }
        model = Set(model).filter { !$0.isMultiple(of: 3) }.sorted()
      default:
        heap.removeFirst()
        if !model.isEmpty { model.removeFirst() }
      }
      #expect(heap.first == model.first)
      #expect(heap.count == model.count)
    }
  }
}
