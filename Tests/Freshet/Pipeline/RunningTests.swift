import Freshet
import FreshetTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct RunningTests {
  @Test func `runs without a reader and keeps its value`() async throws {
    let gate = Gate()
    let running = EventScript(.value(1), .gate(gate), .value(2)).start()

    await gate.waiting()
    gate.open()

    #expect(try await running.value == 2)
    #expect(try await running.value == 2)
  }

  @Test func `a late reader gets the newest progress and the last value, and then the rest`()
    async throws
  {
    let gate = Gate()
    let running = EventScript(
      .progress(1),
      .value(1),
      .progress(2),
      .progress(3),
      .gate(gate),
      .value(2)
    )
    .start()
    await gate.waiting()

    var reader = running.events.makeAsyncIterator()
    #expect(try await reader.next() == .value(1))
    #expect(try await reader.next() == .progress(3))
    gate.open()

    #expect(try await reader.next() == .value(2))
    #expect(try await reader.next() == nil)
    #expect(try await reader.next() == nil)
  }

  @Test func `a reader after the end gets the newest progress, the last value and the end`()
    async throws
  {
    let running = EventScript(.value(1), .progress(2), .value(2)).start()
    _ = try await running.value

    var events: [Event<Int>] = []
    for try await event in running.events {
      events.append(event)
    }

    #expect(events == [.progress(2), .value(2)])
  }

  @Test func `every reader gets every value from its beginning on`() async throws {
    let gate = Gate()
    let running = EventScript(.gate(gate), .value(1), .value(2), .value(3)).start()
    let begun = Watched(0)

    let readers = (0..<4)
      .map { _ in
        Task {
          var reader = running.events.makeAsyncIterator()
          begun.update { $0 += 1 }
          var values: [Int] = []
          while let event = try await reader.next() {
            if let value = event.value { values.append(value) }
          }
          return values
        }
      }
    await begun.wait { $0 == 4 }
    await gate.waiting()
    gate.open()

    for reader in readers {
      #expect(try await reader.value == [1, 2, 3])
    }
  }

  @Test func `waits for a slow reader and drops nothing`()
    async throws
  {
    let gate = Gate()
    var lines = (1...40).map { EventScript.Line.value($0) }
    for index in [17, 16, 0] { lines.insert(.gate(gate), at: index) }
    let running = EventScript(lines: lines).start()
    var reader = running.events.makeAsyncIterator()
    for _ in 0..<2 {
      await gate.waiting()
      gate.pass()
    }

    // It sends one more, and waits: it comes to its last gate when one has been read.
    for _ in 0..<1_000 { await Task.yield() }
    #expect(gate.waitingCount == 0)
    var seen = [try #require(try await reader.next()?.value)]
    await gate.waiting()
    gate.open()
    while let event = try await reader.next() {
      if let value = event.value { seen.append(value) }
    }

    #expect(seen == Array(1...40))
  }

  @Test func `a failure reaches every reader once`() async {
    let running = EventScript(.value(1), .failure(.noValue)).start()

    for _ in 0..<2 {
      let error = await #expect(throws: FreshetError.self) { try await running.value }
      #expect(error?.kind == "noValue")
    }
  }

  @Test func `cancelling ends the pipeline and its readers`() async {
    let gate = Gate()
    let running = EventScript(.value(1), .gate(gate)).start()
    await gate.waiting()

    running.cancel()

    let error = await #expect(throws: FreshetError.self) { try await running.value }
    #expect(error?.kind == "cancelled")
  }

  @Test func `cancelling after the end changes nothing`() async throws {
    let running = EventScript(.value(1)).start()
    _ = try await running.value

    running.cancel()

    #expect(try await running.value == 1)
  }

  @Test func `does not wait for a kept iterator whose iteration was cancelled`() async throws {
    let gate = Gate()
    let values = (1...40).map { EventScript.Line.value($0) }
    let running = EventScript(lines: [.gate(gate)] + values).start()
    let whole = Task { try await running.value }
    let kept = Task { () async throws in
      var reader = running.events.makeAsyncIterator()
      await #expect(throws: FreshetError.cancelled) { try await reader.next() }
      gate.open()
      #expect(try await whole.value == 40)
      #expect(try await reader.next() == nil)
    }
    await gate.waiting()

    kept.cancel()

    try await kept.value
  }

  @Test func `a cancelled reader leaves the pipeline to the others`() async throws {
    let gate = Gate()
    let running = EventScript(.gate(gate), .value(1)).start()
    let cancelled = Task { try await running.value }
    let other = Task { try await running.value }
    await gate.waiting()

    cancelled.cancel()
    let error = await #expect(throws: FreshetError.self) { try await cancelled.value }
    #expect(error?.kind == "cancelled")
    gate.open()

    #expect(try await other.value == 1)
  }
}
