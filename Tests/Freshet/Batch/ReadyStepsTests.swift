import Testing

@testable import Freshet

@Suite struct ReadyStepsTests {
  /// Steps of which so many took long one after the other.
  private func steps(processors: Int = 4, after longOnes: Int = 0) -> ReadySteps<Int> {
    var steps = ReadySteps<Int>(processors: processors)
    for _ in 0..<longOnes { steps.note(1, took: .milliseconds(2)) }
    return steps
  }

  @Test func `short steps are run in order by one, who is called once`() {
    var steps = steps()

    let calls = [steps.add(1), steps.add(2)]
    let joined = steps.join()
    let later = [steps.add(3), steps.join()]
    let run = [steps.next(), steps.next(), steps.next(), steps.next()]
    let again = steps.add(4)

    #expect(calls == [true, false])
    #expect(joined)
    #expect(later == [false, false])
    #expect(run == [1, 2, 3, nil])
    #expect(again)
  }

  @Test func `who comes without having been called takes the place of who was`() {
    var steps = steps()

    let called = steps.add(1)
    let joined = steps.join()
    let run = [steps.next(), steps.next()]
    let late = steps.join()
    let again = steps.add(2)

    #expect(called && joined && again)
    #expect(run == [1, nil])
    #expect(!late)
  }

  @Test func `in the place of who leaves early somebody is called`() {
    var steps = steps()
    _ = steps.add(1)
    _ = steps.add(2)
    _ = steps.join()
    _ = steps.next()

    let called = steps.leave()
    let joined = steps.join()
    let run = steps.next()
    let calledForNothing = steps.leave()

    #expect(called && joined)
    #expect(run == 2)
    #expect(!calledForNothing)
  }

  @Test func `steps that take long are run by as many as there are processors`() {
    var steps = steps(processors: 2, after: 2)

    let first = [steps.add(1), steps.join()]
    let second = [steps.add(2), steps.join()]
    let third = [steps.add(3), steps.join()]

    #expect(first == [true, true])
    #expect(second == [true, true])
    #expect(third == [false, false])
  }

  @Test func `who joins while steps take long calls the next one`() {
    var steps = steps(processors: 2, after: 2)
    _ = steps.add(1)
    _ = steps.add(2)

    let joined = steps.join()
    let called = steps.callsAnother()

    #expect(joined && called)
  }

  @Test func `one long step alone is an interruption, and short ones end the strain`() {
    var calmed = steps(after: 100)
    calmed.note(48, took: .microseconds(48))

    #expect(!steps(after: 1).isStrained)
    #expect(steps(after: 100).isStrained)
    #expect(!calmed.isStrained)
  }

  @Test func `several steps are long if they are on average`() {
    var short = steps()
    var long = steps()

    for _ in 0..<10 { short.note(8, took: .microseconds(1_600)) }
    for _ in 0..<2 { long.note(8, took: .microseconds(1_601)) }

    #expect(!short.isStrained)
    #expect(long.isStrained)
  }
}
