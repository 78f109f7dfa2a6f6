import Dispatch
import Freshet
import Synchronization

/// Runs decodings on background threads, a few at a time; a cancelled task leaves the queue.
final class DecodingQueue: Sendable {
  private struct State {
    var vacant: Int
    var waiting = OrderedQueue<Int>()
    var continuations: [Int: UnsafeContinuation<Bool, Never>] = [:]
    var nextID = 0
  }

  private let state: Mutex<State>
  private let threads = DispatchQueue(
    label: "freshet.images.decoding",
    qos: .userInitiated,
    attributes: .concurrent
  )

  init(width: Int) {
    state = Mutex(State(vacant: max(1, width)))
  }

  /// Runs work when there is a free slot.
  ///
  /// - Parameter work: The work. Its flag is set when the task is cancelled while it runs.
  /// - Returns: The result of the work.
  /// - Throws: ``ImageError/resource(_:)`` with `cancelled` if the task is cancelled before the work
  ///   begins.
  func run<Value: Sendable>(
    _ work: @escaping @Sendable (DecodingCancellation) throws(ImageError) -> Value
  ) async throws(ImageError) -> Value {
    guard await enter() else { throw .resource(.cancelled) }
    let cancellation = DecodingCancellation()
    let result = await withCancellableContinuation {
      (continuation: UnsafeContinuation<Result<Value, ImageError>, Never>) in
      threads.async {
        let result = Result { () throws(ImageError) in try work(cancellation) }
        self.leave()
        continuation.resume(returning: result)
      }
      return nil
    } onCancel: {
      cancellation.set()
    }
    return try result.get()
  }

  /// Runs work that is not interrupted when there is a free slot.
  func run<Value: Sendable>(
    _ work: @escaping @Sendable () throws(ImageError) -> Value
  ) async throws(ImageError) -> Value {
    try await run { _ throws(ImageError) in try work() }
  }

  /// The number of tasks that wait for a slot.
  var waitingCount: Int { state.withLock(\.waiting.count) }

  /// Waits for a slot; returns `false` as soon as the task is cancelled.
  private func enter() async -> Bool {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    return await withCancellableContinuation { continuation in
      state.withLock { state in
        if Task.isCancelled { return false }
        guard state.vacant == 0 else {
          state.vacant -= 1
          return true
        }
        state.waiting.append(id)
        state.continuations[id] = continuation
        return nil
      }
    } onCancel: {
      let continuation = state.withLock { state in
        state.waiting.remove(id)
        return state.continuations.removeValue(forKey: id)
      }
      continuation?.resume(returning: false)
    }
  }

  /// Gives the slot to the task that has waited for the longest.
  private func leave() {
    let continuation = state.withLock { state in
      guard let id = state.waiting.removeFirst() else {
        state.vacant += 1
        return UnsafeContinuation<Bool, Never>?.none
      }
      return state.continuations.removeValue(forKey: id)
    }
    continuation?.resume(returning: true)
  }
}
