import Testing

@testable import FreshetTesting

@Suite struct TimerHeapTests {
  @Test func `returns timers in the order of their deadlines`() {
    let start = ContinuousClock.now
    var generator = SeededGenerator(seed: 1)
    var heap = TimerHeap()
    for wait in (0..<200).shuffled(using: &generator) {
      heap.add(
        TimerHeap.Timer(deadline: start + .seconds(wait), connection: 1, wait: wait)
      )
    }

    var order: [Int] = []
    while let timer = heap.take(until: start + .seconds(99)) { order.append(timer.wait) }

    #expect(order == Array(0..<100))
    #expect(heap.next == start + .seconds(100))
  }
}
