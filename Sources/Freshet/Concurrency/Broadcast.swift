import Synchronization

/// One sender with many readers.
///
/// The last value and the newest progress are kept for late readers.
///
/// The sender waits while an active reader is more than `limit` values behind.
final class Broadcast<Value: Sendable, Failure: PipelineFailure>: Sendable {
  typealias State = BroadcastState<Value, Failure>

  private let state: Mutex<State>

  init(limit: Int = 16) {
    state = Mutex(State(limit: limit))
  }

  func send(_ value: Value) async {
    post(value)
    guard state.withLock({ $0.isFull }) else { return }
    await withUnsafeContinuation { continuation in
      if !state.withLock({ $0.park(sender: continuation) }) {
        continuation.resume()
      }
    }
  }

  /// Sends a value without waiting for readers.
  func post(_ value: Value) {
    resume(state.withLock { $0.send(value) })
  }

  func send(_ progress: TransferProgress) {
    resume(state.withLock { $0.send(progress) })
  }

  func end(_ failure: Failure?) {
    resume(state.withLock { $0.finish(failure.map(State.End.failed) ?? .finished) })
  }

  /// The newest progress, if there has been one.
  var newestProgress: TransferProgress? { state.withLock { $0.progress } }

  /// A Boolean value that indicates whether the broadcast has ended.
  var hasEnded: Bool { state.withLock { $0.hasEnded } }

  /// Sends all events of a pipeline, and its end.
  func relay<Pipeline: AsyncSequence>(_ pipeline: Pipeline) async
  where
    Pipeline.Element: PipelineEvent,
    Pipeline.Element.Value == Value,
    Pipeline.Failure == Failure
  {
    do throws(Failure) {
      for try await event in pipeline {
        if let value = event.value {
          await send(value)
        } else if let progress = event.progress {
          send(progress)
        }
      }
      end(nil)
    } catch {
      end(error)
    }
  }

  /// Adds a reader, which the owner has to remove.
  func join(wantsProgress: Bool = true) -> Int {
    state.withLock { $0.join(wantsProgress: wantsProgress) }
  }

  /// Removes a reader; has no effect if it was removed before.
  func leave(_ id: Int) {
    resume(state.withLock { $0.leave(id) })
  }

  /// Wakes a reader if it waits; its next read throws ``FreshetError/cancelled``.
  func cancel(_ id: Int) {
    resume(state.withLock { $0.cancel(id) })
  }

  /// Waits for the next event of a reader.
  ///
  /// - Parameters:
  ///   - id: The reader.
  ///   - onCancel: A closure that is called if the task is cancelled, before the call or while it waits.
  /// - Returns: The event; `nil` after the end.
  /// - Throws: The failure at the end; ``FreshetError/cancelled`` if the reader was cancelled.
  func next(
    _ id: Int,
    onCancel: @Sendable () -> Void = {}
  ) async throws(Failure) -> Event<Value>? {
    if Task.isCancelled {
      // A slow reader, for which something has always arrived, never waits.
      onCancel()
      cancel(id)
    }
    while true {
      let (step, freed) = state.withLock { $0.step(id) }
      resume(freed)
      switch step {
      case .event(let event): return event
      case .end(.failed(let failure)): throw failure
      case .end(.finished), .end(nil): return nil
      case .wait:
        await withCancellableContinuation { continuation in
          state.withLock { $0.park(id, continuation) } ? nil : ()
        } onCancel: {
          onCancel()
          cancel(id)
        }
      }
    }
  }

  /// Makes a reader that is removed when it is released, after a closure was called.
  func reader(onRelease: @escaping @Sendable () -> Void = {}) -> Reader {
    let id = join()
    return Reader(broadcast: self, id: id) { [self] in
      onRelease()
      leave(id)
    }
  }

  /// Resumes what is freed by a change, and releases its values, outside of the lock.
  private func resume(_ freed: State.Freed) {
    for continuation in freed.continuations {
      continuation.resume()
    }
  }
}

extension Broadcast {
  /// A subscription of one reader, which ends when it is released.
  final class Reader: Sendable {
    private let broadcast: Broadcast
    private let id: Int
    // A closure, because the compiler does not specialize a generic deinitializer.
    private let leave: @Sendable () -> Void

    init(broadcast: Broadcast, id: Int, leave: @escaping @Sendable () -> Void) {
      self.broadcast = broadcast
      self.id = id
      self.leave = leave
    }

    deinit {
      leave()
    }

    /// Wakes the reader if it waits; its next read throws ``FreshetError/cancelled``.
    func giveUp() {
      broadcast.cancel(id)
    }

    func next() async throws(Failure) -> Event<Value>? {
      try await broadcast.next(id)
    }
  }
}
