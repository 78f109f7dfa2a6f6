import Testing

@testable import Freshet

@Suite struct PulledSequenceTests {
  @Test func `each iterator begins with a state of its own`() async {
    let numbers = PulledSequence<Int, Int, Never>(from: 0) { last in
      last += 1
      return last < 3 ? last : nil
    }

    for _ in 1...2 {
      var found: [Int] = []
      for await number in numbers { found.append(number) }
      #expect(found == [1, 2])
    }
  }

  @Test func `throws what the closure throws`() async {
    let sequence = PulledSequence<Void, Int, FreshetError>(from: ()) { _ throws(FreshetError) in
      throw .noValue
    }
    var iterator = sequence.makeAsyncIterator()

    await #expect(throws: FreshetError.noValue) { try await iterator.next() }
  }
}
