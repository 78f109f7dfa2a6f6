import Freshet
import FreshetTesting
import Synchronization
import Testing

/// A batch takes its items from a queue, which is told how each of them ended.
@Suite(.timeLimit(.minutes(5))) struct BatchQueueTests {
  private let world = BatchWorld()

  /// A queue of some requests that ends when all of them have ended, or with a failure.
  private final class ListedQueue: BatchQueue, BatchQueueConsumer {
    enum Note: Sendable, Hashable {
      case taken(Int)
      case value(Int)
      case failure(Int)
      case finished
    }

    private struct State: Sendable {
      var requests: [Request]
      var taken = 0
      var notes: [Note] = []
      var waiter: CheckedContinuation<Void, Never>?
    }

    private let state: Mutex<State>
    private let error: FreshetError?

    init(_ paths: [String], error: FreshetError? = nil) {
      state = Mutex(State(requests: paths.map { BatchWorld.request($0) }))
      self.error = error
    }

    var notes: [Note] { state.withLock(\.notes) }

    func makeConsumer() -> any BatchQueueConsumer { self }

    func next() async throws(FreshetError) -> Request? {
      let request = state.withLock { state -> Request? in
        guard state.taken < state.requests.count else { return nil }
        state.notes.append(.taken(state.taken))
        state.taken += 1
        return state.requests[state.taken - 1]
      }
      if let request { return request }
      if let error { throw error }
      await withCheckedContinuation { waiter in
        state.withLock { $0.waiter = waiter }
        resume()
      }
      return nil
    }

    func ended(_ index: Int, failure: FreshetError?) {
      note(failure == nil ? .value(index) : .failure(index))
    }

    func finish() { note(.finished) }

    private func note(_ note: Note) {
      state.withLock { $0.notes.append(note) }
      resume()
    }

    private func resume() {
      let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
        let ended = state.notes.filter { if case .taken = $0 { false } else { true } }.count
        let isOver = state.notes.contains(.finished) || ended >= state.requests.count
        defer { if isOver { state.waiter = nil } }
        return isOver ? state.waiter : nil
      }
      waiter?.resume()
    }
  }

  @Test func `tells the queue how each item ended, and ends with it`() async throws {
    let queue = ListedQueue(["10", "missing", "11"])

    let batch = world.client(world.origin()).batch(from: queue)
    let result = try await batch.run(maxConcurrent: 1).value

    #expect(result.completedItems == 2)
    #expect(result.failures.map(\.item.index) == [1])
    let ends = queue.notes.filter { if case .taken = $0 { false } else { true } }
    #expect(ends.prefix(3) == [.value(0), .failure(1), .value(2)])
    #expect(ends.contains(.finished))
    #expect("\(batch.run())".hasPrefix("batch of a queue"))
  }

  @Test func `an item has ended when the reader asks for the event after its value`() async throws {
    let queue = ListedQueue(["10"])
    var events = world.client(world.origin()).batch(from: queue).run().makeAsyncIterator()

    var isFinal = false
    while !isFinal, let event = try await events.next() {
      if case .received(_, let resource) = event { isFinal = resource.isFinal }
    }
    #expect(!queue.notes.contains(.value(0)))
    while try await events.next() != nil {}

    #expect(queue.notes.contains(.value(0)))
  }

  enum Leaving: CaseIterable, Sendable { case cancelling, releasing, failing }

  @Test(arguments: Leaving.allCases)
  func `a run that is left finishes its consumer, without an end of what it has taken`(
    way: Leaving
  ) async throws {
    let queue = ListedQueue(["gated", way == .failing ? "missing" : "gated_2"])
    let client = world.client(world.origin())
    let run = client.batch(from: queue).run(onFailure: way == .failing ? .end : .collect)

    switch way {
    case .cancelling:
      let task = Task { try await run.value }
      await world.gate.waiting()
      task.cancel()
      await #expect(throws: FreshetError.cancelled) { try await task.value }
    case .releasing:
      for try await event in run {
        if case .started = event { break }
      }
    case .failing:
      await #expect(throws: FreshetError.self) { try await run.value }
    }

    #expect(queue.notes.contains(.finished))
    #expect(!queue.notes.contains(.value(0)))
    #expect(!queue.notes.contains(.failure(0)))
    #expect(queue.notes.contains(.failure(1)) == (way == .failing))
  }

  @Test func `a failure of the queue ends the run, after the items so far`() async throws {
    let error = FreshetError.invalidRequest("the queue is gone", url: "")
    let queue = ListedQueue(["10", "11"], error: error)

    await #expect(throws: error) {
      try await world.client(world.origin()).batch(from: queue).run().value
    }

    #expect(queue.notes.contains(.value(0)) && queue.notes.contains(.value(1)))
  }

  @Test func `a queue cannot be planned`() async throws {
    let queue = ListedQueue(["10"])

    await #expect(throws: FreshetError.self) {
      try await world.client(world.origin()).batch(from: queue).plan().value
    }

    #expect(queue.notes.isEmpty)
  }
}
