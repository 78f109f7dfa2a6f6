import Freshet
import FreshetTesting
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct GateTests {
  @Test func `an open gate lets everybody pass`() async throws {
    let gate = Gate()
    gate.open()

    try await gate.enter()

    #expect(gate.waitingCount == 0)
  }

  @Test func `opening lets everybody through`() async throws {
    let gate = Gate()
    let tasks = (1...5).map { _ in Task { try await gate.enter() } }
    await gate.waiting(count: 5)

    gate.open()

    for task in tasks { try await task.value }
  }

  @Test func `passes are used one by one and kept for later`() async throws {
    let gate = Gate()
    gate.pass(2)
    try await gate.enter()
    try await gate.enter()
    let third = Task { try await gate.enter() }

    await gate.waiting()
    gate.pass()

    try await third.value
  }

  @Test func `lets tasks through in the order of their arrival`() async throws {
    let (gate, executor) = (Gate(), QueueExecutor())
    let order = Watched<[Int]>([])
    let tasks = (1...5)
      .map { number in
        Task(executorPreference: executor) {
          try await gate.enter()
          order.update { $0.append(number) }
        }
      }
    await gate.waiting(count: 5)

    // The last one may not wait yet: this runs behind it.
    await Task(executorPreference: executor) { gate.pass(4) }.value
    for task in tasks.prefix(4) { try await task.value }

    #expect(order.read { $0 } == [1, 2, 3, 4])
    gate.open()
    try await tasks[4].value
  }

  @Test func `passes beyond the largest number are the largest number`() async throws {
    let gate = Gate()

    gate.pass(.max)
    gate.pass(.max)

    for _ in 0..<3 { try await gate.enter() }
    #expect(gate.waitingCount == 0)
  }

  @Test func `cancelling ends the wait and frees the pass`() async {
    let gate = Gate()
    let task = Task { try await gate.enter() }
    await gate.waiting()

    task.cancel()

    let error = await #expect(throws: FreshetError.self) { try await task.value }
    #expect(error?.kind == "cancelled")
    #expect(gate.waitingCount == 0)
  }

  @Test func `a pass for a cancelled waiter goes to the next one`() async throws {
    for _ in 0..<100 {
      let gate = Gate()
      let first = Task { try await gate.enter() }
      await gate.waiting()
      first.cancel()
      gate.pass()
      let second = Task { try await gate.enter() }

      // Either the first has used it, or the second gets it.
      if (try? await first.value) != nil { gate.pass() }
      try await second.value
    }
  }

  @Test func `a cancelled task does not wait at the gate`() async {
    let gate = Gate()
    let task = Task { await gate.waiting(count: 2) }

    task.cancel()

    #expect(await !task.value)
  }
}
