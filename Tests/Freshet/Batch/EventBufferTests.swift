import FreshetTesting
import Testing

@testable import Freshet

@Suite struct EventBufferTests {
  @Test func `progress is conflated in place and never passes an event that must arrive`() {
    var outbox = EventBuffer<String>()
    outbox.post("a started", closing: 1)
    outbox.post("a 10", replacing: 1)
    outbox.post("b 5", replacing: 2)
    outbox.post("a 20", replacing: 1)
    outbox.post("a stale", closing: 1)
    outbox.post("a 30", replacing: 1)
    outbox.post("a ended", closing: 1)

    var taken: [String] = []
    while let signal = outbox.take() { taken.append(signal) }

    #expect(taken == ["a started", "a 20", "b 5", "a stale", "a 30", "a ended"])
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `for each key only older progress is dropped, and the order stays`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var outbox = EventBuffer<(key: Int, number: Int, isProgress: Bool)>()
    var expected: [Int: [Int]] = [:]
    var received: [Int: [Int]] = [:]
    var newest: [Int: Int] = [:]

    func take() {
      guard let signal = outbox.take() else { return }
      if let last = received[signal.key]?.last { #expect(last < signal.number) }
      received[signal.key, default: []].append(signal.number)
    }

    for number in 0..<5_000 {
      let key = Int.random(in: 0..<4, using: &generator)
      switch Int.random(in: 0..<6, using: &generator) {
      case 0..<3:
        outbox.post((key, number, true), replacing: key)
        newest[key] = number
      case 3:
        outbox.post((key, number, false), closing: key)
        expected[key, default: []].append(number)
      default: take()
      }
    }
    while !outbox.isEmpty { take() }

    #expect(expected.count == 4 && newest.count == 4)
    for (key, numbers) in expected {
      #expect(Set(numbers).isSubset(of: Set(received[key] ?? [])))
    }
    for (key, number) in newest { #expect(received[key]?.contains(number) == true) }
  }
}
