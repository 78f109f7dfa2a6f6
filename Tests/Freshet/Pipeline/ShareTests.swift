import FreshetTesting
import Synchronization
import Testing

@testable import Freshet

@Suite(.timeLimit(.minutes(5))) struct ShareTests {
  let gate = Gate()

  /// Counts how often it is iterated, and tells when it was cancelled.
  private struct Counted: AsyncSequence, Sendable {
    let script: EventScript
    let starts: Counter

    func makeAsyncIterator() -> EventScript.Iterator {
      _ = starts.next()
      return script.makeAsyncIterator()
    }
  }

  private let starts = Counter()

  private func counted(_ lines: EventScript.Line...) -> Counted {
    Counted(script: EventScript(lines: lines), starts: starts)
  }

  /// How often it has been iterated so far.
  private var startCount: Int { starts.value }

  @Test func `several readers share one run`() async throws {
    let shared = counted(.gate(gate), .value(1), .value(2)).share()
    let readers = (0..<5).map { _ in Task { try await shared.value } }
    await gate.waiting()
    gate.open()

    for reader in readers { #expect(try await reader.value == 2) }
    #expect(startCount == 1)
  }

  @Test func `starts with the first reader`() {
    _ = counted(.value(1)).share()

    #expect(startCount == 0)
  }

  @Test func `a reader in a cancelled task starts nothing`() async {
    let shared = counted(.value(1)).share()

    let error = await Task { () -> (any Error)? in
      withUnsafeCurrentTask { $0?.cancel() }
      do {
        _ = try await shared.value
        return nil
      } catch {
        return error
      }
    }
    .value

    #expect(error as? FreshetError == .cancelled)
    #expect(startCount == 0)
  }

  @Test func `a late reader gets the newest progress and the last value, and then the rest`()
    async throws
  {
    let shared = EventScript(.value(1), .progress(2), .progress(3), .gate(gate), .value(2)).share()
    var first = shared.makeAsyncIterator()
    #expect(try await first.next() == .value(1))
    await gate.waiting()

    var late = shared.makeAsyncIterator()
    #expect(try await late.next() == .value(1))
    #expect(try await late.next() == .progress(3))
    gate.open()
    #expect(try await late.next() == .value(2))
    #expect(try await late.next() == nil)
    #expect(try await late.next() == nil)
  }

  @Test func `after the end the last value and the end are replayed`() async throws {
    let shared = counted(.value(1), .value(2)).share()
    _ = try await shared.value

    #expect(try await shared.value == 2)
    #expect(startCount == 1)
  }

  @Test func `a failure reaches every reader once`() async throws {
    let shared = EventScript(.value(1), .failure(.noValue)).share()

    for _ in 0..<2 {
      var reader = shared.makeAsyncIterator()
      #expect(try await reader.next() == .value(1))
      do throws(FreshetError) {
        _ = try await reader.next(isolation: nil)
        Issue.record("no failure")
      } catch {
        #expect(error == .noValue)
      }
      #expect(try await reader.next() == nil)
    }
  }

  @Test func `the last reader's end cancels the run, and the next one starts again`()
    async throws
  {
    let shared = counted(.value(1), .gate(gate), .value(2)).share()
    let joined = Watched(0)
    let readers = (0..<2)
      .map { _ in
        Task { for try await _ in shared { joined.update { $0 += 1 } } }
      }
    await joined.wait { $0 == 2 }
    await gate.waiting()

    readers[0].cancel()
    _ = await readers[0].result
    #expect(gate.waitingCount == 1)
    readers[1].cancel()
    _ = await readers[1].result
    while gate.waitingCount > 0 { await Task.yield() }
    gate.open()

    #expect(try await shared.value == 2)
    #expect(startCount == 2)
  }

  @Test func `a cancelled reader leaves although a value has arrived for it`() async throws {
    let shared = counted(.value(1), .value(2), .gate(gate)).share()
    let reading = Task { [gate] in
      var reader = shared.makeAsyncIterator()
      _ = try await reader.next()
      await gate.waiting()
      withUnsafeCurrentTask { $0?.cancel() }
      _ = try await reader.next()
    }

    let error = await #expect(throws: FreshetError.self) { try await reading.value }

    #expect(error == .cancelled)
    while gate.waitingCount > 0 { await Task.yield() }
  }

  @Test func `a slow reader delays values and misses none`() async throws {
    let shared = EventScript(lines: (1...200).map { .value($0) }).share()
    var slow = shared.makeAsyncIterator()
    #expect(try await slow.next() == .value(1))
    let fast = Task { try await shared.value }

    var seen = [1]
    while let event = try await slow.next() { event.value.map { seen.append($0) } }

    #expect(seen == Array(1...200))
    #expect(try await fast.value == 200)
  }

  @Test func `a value that is no longer buffered may cancel a reader when it is released`()
    async throws
  {
    let reading = Mutex<Task<Void, Never>?>(nil)
    let released = Gate()
    let shared = Owners(gate: gate) {
      reading.withLock(\.self)?.cancel()
      released.open()
    }
    .share()
    var other = shared.makeAsyncIterator()
    _ = try await other.next()
    let reader = Task {
      var reader = shared.makeAsyncIterator()
      _ = try? await reader.next()
      _ = try? await reader.next()
    }
    reading.withLock { $0 = reader }
    await gate.waiting()

    gate.open()

    _ = try await other.next()
    try await released.enter()
    await reader.value
  }

  /// Two objects, the second one behind a gate.
  private struct Owners: AsyncSequence, Sendable {
    final class Owner: Sendable {
      private let onRelease: @Sendable () -> Void

      init(onRelease: @escaping @Sendable () -> Void) {
        self.onRelease = onRelease
      }

      deinit {
        onRelease()
      }
    }

    let gate: Gate
    let onRelease: @Sendable () -> Void

    func makeAsyncIterator() -> Iterator {
      Iterator(owners: self)
    }

    struct Iterator: AsyncIteratorProtocol {
      let owners: Owners
      var count = 0

      mutating func next(
        isolation actor: isolated (any Actor)? = #isolation
      ) async throws(FreshetError) -> Event<Owner>? {
        count += 1
        if count == 2 { try await owners.gate.enter() }
        return count > 2 ? nil : .value(Owner(onRelease: owners.onRelease))
      }
    }
  }

  @Test func `progress waits for no reader`() async throws {
    let start = Gate()
    let lines =
      [.value(0), .gate(start)] + (1...1_000).map { EventScript.Line.progress($0) }
      + [.gate(gate), .value(1)]
    let shared = EventScript(lines: lines).share()
    var slow = shared.makeAsyncIterator()
    #expect(try await slow.next() == .value(0))
    start.open()

    // The whole script has been played although nobody reads.
    await gate.waiting()
    gate.open()
    #expect(try await slow.next() == .progress(1_000))
    #expect(try await slow.next() == .value(1))
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `runs once for all readers that overlap, in any order`(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let shared = counted(.value(1), .gate(gate), .value(2)).share()
    var readers = [shared.makeAsyncIterator()]
    _ = try await readers[0].next()
    var runCount = 1

    for _ in 0..<300 {
      if Bool.random(using: &generator) {
        runCount += readers.isEmpty ? 1 : 0
        var reader = shared.makeAsyncIterator()
        #expect(try await reader.next() == .value(1))
        readers.append(reader)
      } else if let place = readers.indices.randomElement(using: &generator) {
        readers.remove(at: place)
      }
      #expect(startCount == runCount)
    }

    readers.removeAll()
    while gate.waitingCount > 0 { await Task.yield() }
    gate.open()
    for _ in 0..<3 { #expect(try await shared.value == 2) }
    #expect(startCount == runCount + 1)
  }
}
