import Synchronization

/// State behind a lock, with tasks that wait for conditions on it.
///
/// Each update checks the conditions, in the order in which the tasks began to wait, so that no task
/// has to poll.
package final class Watched<State: Sendable>: Sendable {
  private typealias Resumption = @Sendable () -> Void

  private struct Waiter {
    let id: Int
    /// Returns the closure that resumes the task, if the state has a value for it.
    let attempt: @Sendable (inout State) -> Resumption?
    let giveUp: Resumption
  }

  private struct Guarded {
    var state: State
    var waiters: [Waiter] = []
    var nextID = 0

    /// Removes the waiters for which there is a value, and returns the closures that resume them.
    mutating func satisfied() -> [Resumption] {
      guard !waiters.isEmpty else { return [] }
      var resumptions: [Resumption] = []
      var isAgain = true
      while isAgain {
        isAgain = false
        for waiter in exchange(&waiters, with: []) {
          if let resumption = waiter.attempt(&state) {
            resumptions.append(resumption)
            // It may have changed the state to what an earlier one waits for.
            isAgain = isAgain || !waiters.isEmpty
          } else {
            waiters.append(waiter)
          }
        }
      }
      return resumptions
    }
  }

  private let guarded: Mutex<Guarded>

  package init(_ state: State) {
    guarded = Mutex(Guarded(state: state))
  }

  /// The number of waiting tasks.
  package var waiterCount: Int { guarded.withLock(\.waiters.count) }

  package func read<Value: Sendable>(_ body: (State) -> Value) -> Value {
    guarded.withLock { body($0.state) }
  }

  /// Changes the state, then resumes the tasks whose condition has become true.
  @discardableResult
  package func update<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
    let (value, resumptions) = guarded.withLock { guarded in
      (body(&guarded.state), guarded.satisfied())
    }
    for resume in resumptions { resume() }
    return value
  }

  /// Waits until the condition holds, and returns `true`; `false` as soon as the task is cancelled.
  @discardableResult
  package func wait(until condition: @escaping @Sendable (State) -> Bool) async -> Bool {
    await first { condition($0) ? true : nil } ?? false
  }

  /// Waits until `take` returns a result.
  ///
  /// - Returns: The value of the result.
  /// - Throws: The failure of the result; ``FreshetError/cancelled`` when the task is cancelled.
  package func value<Value: Sendable>(
    _ take: @escaping @Sendable (inout State) -> Result<Value, FreshetError>?
  ) async throws(FreshetError) -> Value {
    guard let result = await first(take) else { throw .cancelled }
    return try result.get()
  }

  /// Waits for the first value that `take` returns, or for that of an alarm.
  ///
  /// - Parameters:
  ///   - take: A closure that returns a value of the state, which is preferred to that of the alarm.
  ///   - alarm: A closure that waits, such as until a time.
  /// - Returns: The value; `nil` as soon as the task is cancelled.
  package func first<Value: Sendable>(
    _ take: @escaping @Sendable (State) -> Value?,
    or alarm: @escaping @Sendable () async -> Value?
  ) async -> Value? {
    if let value = read(take) { return value }
    return await withTaskGroup(of: Value?.self) { group in
      group.addTask { await self.first { take($0) } }
      group.addTask { await alarm() }
      defer { group.cancelAll() }
      guard case .some(.some(let value)) = await group.next() else { return nil }
      // A busy thread pool may run the alarm's task before that of a value which came earlier.
      return self.read(take) ?? value
    }
  }

  /// Waits for the first value that `take` returns.
  ///
  /// - Parameter take: A closure that returns a value, and may change the state when it does. It is
  ///   called under the lock: immediately, and after each update until it returns a value.
  /// - Returns: The value; `nil` as soon as the task is cancelled.
  package func first<Value: Sendable>(
    _ take: @escaping @Sendable (inout State) -> Value?
  ) async -> Value? {
    let id = guarded.withLock { guarded in
      guarded.nextID += 1
      return guarded.nextID
    }
    return await withCancellableContinuation { (continuation: UnsafeContinuation<Value?, Never>) in
      let waiter = Waiter(
        id: id,
        attempt: { state in
          guard let value = take(&state) else { return nil }
          return { continuation.resume(returning: value) }
        },
        giveUp: { continuation.resume(returning: nil) }
      )
      let (outcome, resumptions) = guarded.withLock { guarded -> (Value??, [Resumption]) in
        if let value = take(&guarded.state) { return (value, guarded.satisfied()) }
        // The handler may have run before the waiter was added; the flag is set then.
        if Task.isCancelled { return (.some(nil), []) }
        guarded.waiters.append(waiter)
        return (nil, [])
      }
      for resume in resumptions { resume() }
      return outcome
    } onCancel: {
      let waiter = guarded.withLock { guarded in
        guarded.waiters.firstIndex { $0.id == id }.map { guarded.waiters.remove(at: $0) }
      }
      waiter?.giveUp()
    }
  }
}
