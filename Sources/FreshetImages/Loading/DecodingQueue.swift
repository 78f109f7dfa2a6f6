import Dispatch
import Freshet
import Synchronization

/// Runs decoding on threads of its own, a few at a time; a cancelled wait leaves the queue.
final class DecodingQueue: Sendable {
  private struct Waiter {
    let id: Int
    let continuation: CheckedContinuation<Bool, Never>
  }

  private struct State {
    var vacant: Int
    var nextID = 0
    var waiters: [Waiter] = []
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

  /// Runs work when there is room for it.
  ///
  /// - Throws: ``ImageError/resource(_:)`` with `cancelled` if the task is cancelled before it began;
  ///   work under way is not interrupted.
  func run<Value: Sendable>(
    _ work: @escaping @Sendable () throws(ImageError) -> Value
  ) async throws(ImageError) -> Value {
    guard await enter() else { throw .resource(.cancelled) }
    let result = await withCheckedContinuation { continuation in
      threads.async {
        let result: Result<Value, ImageError>
        do throws(ImageError) {
          result = .success(try work())
        } catch {
          result = .failure(error)
        }
        self.leave()
        continuation.resume(returning: result)
      }
    }
    return try result.get()
  }

  /// How many wait for room.
  var waitingCount: Int { state.withLock { $0.waiters.count } }

  private func enter() async -> Bool {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer = state.withLock { state -> Bool? in
          // A cancellation that came before the waiter could be found is seen by its flag.
          if Task.isCancelled { return false }
          if state.vacant > 0 {
            state.vacant -= 1
            return true
          }
          state.waiters.append(Waiter(id: id, continuation: continuation))
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0) }
      }
      waiter?.continuation.resume(returning: false)
    }
  }

  private func leave() {
    let next = state.withLock { state -> Waiter? in
      guard state.waiters.isEmpty else { return state.waiters.removeFirst() }
      state.vacant += 1
      return nil
    }
    next?.continuation.resume(returning: true)
  }
}
