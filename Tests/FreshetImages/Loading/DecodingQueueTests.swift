import Dispatch
import Foundation
import Freshet
import FreshetTesting
import Synchronization
import TestSupport
import Testing

@testable import FreshetImages

@Suite struct DecodingQueueTests {
  @Test func `runs at most its width at a time`() async throws {
    let (queue, running) = (DecodingQueue(width: 2), Counter())
    let mayEnd = DispatchSemaphore(value: 0)
    let jobs = (0..<50)
      .map { _ in
        Task {
          try await queue.run { () throws(ImageError) in
            running.change(by: 1)
            mayEnd.wait()
            running.change(by: -1)
          }
        }
      }

    #expect(try await eventually { running.now == 2 && queue.waitingCount == 48 })
    for _ in jobs { mayEnd.signal() }
    for job in jobs { try await job.value }

    #expect(running.highest == 2)
    #expect(queue.waitingCount == 0)
  }

  @Test func `forwards the failure and makes room`() async throws {
    let queue = DecodingQueue(width: 1)

    await #expect(throws: ImageError.damaged("it is")) {
      try await queue.run { () throws(ImageError) -> Int in throw .damaged("it is") }
    }
    #expect(try await queue.run { () throws(ImageError) in 7 } == 7)
  }

  @Test func `does not start a cancelled job`() async {
    let queue = DecodingQueue(width: 1)
    let task = Task { () -> Result<Int, ImageError> in
      withUnsafeCurrentTask { $0?.cancel() }
      do throws(ImageError) {
        return .success(try await queue.run { () throws(ImageError) in 7 })
      } catch {
        return .failure(error)
      }
    }

    #expect(await task.value == .failure(.resource(.cancelled)))
  }

  @Test func `tells running work that its task was cancelled`() async throws {
    let queue = DecodingQueue(width: 1)
    let gate = Gate()
    let running = Mutex<Task<Bool, any Error>?>(nil)
    let task = Task {
      try await gate.enter()
      return try await queue.run { cancellation throws(ImageError) in
        let task = running.withLock(\.self)
        task?.cancel()
        return cancellation.isSet
      }
    }
    running.withLock { $0 = task }
    gate.open()

    #expect(try await task.value)
  }

  private final class Counter: Sendable {
    private let state = Mutex((now: 0, highest: 0))

    var now: Int { state.withLock(\.now) }
    var highest: Int { state.withLock(\.highest) }

    func change(by step: Int) {
      state.withLock { state in
        state.now += step
        state.highest = max(state.highest, state.now)
      }
    }
  }
}
