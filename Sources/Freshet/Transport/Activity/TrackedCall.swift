import Synchronization

/// A call that can be cancelled by others than its reader.
///
/// Each step runs in a task of its own, which `cancel()` cancels. Between two steps `cancel()` ends the
/// transfer immediately.
final class TrackedCall: Sendable {
  private struct State {
    var call: Activity.Call
    var step: Task<Result<TransferEvent?, FreshetError>, Never>?
    var isStepping = false
    var isCancelled = false
  }

  private let state: Mutex<State>
  private let events: HeldEvents

  init(_ call: Activity.Call, _ transfer: Transfer) {
    state = Mutex(State(call: call))
    events = HeldEvents(transfer.makeAsyncIterator())
  }

  var call: Activity.Call { state.withLock(\.call) }

  func next() async throws(FreshetError) -> TransferEvent? {
    guard let task = begin() else { throw .cancelled }
    let result = await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
    let isCancelled = state.withLock { state in
      state.step = nil
      state.isStepping = false
      if case .success(let event?) = result { state.call.note(event) }
      return state.isCancelled
    }
    if isCancelled {
      events.release()
      throw .cancelled
    }
    return try result.get()
  }

  func cancel() {
    let (step, isStepping) = state.withLock { state in
      defer { state.isCancelled = true }
      return (state.step, state.isStepping || state.isCancelled)
    }
    step?.cancel()
    if !isStepping { events.release() }
  }

  private func begin() -> Task<Result<TransferEvent?, FreshetError>, Never>? {
    state.withLock { state -> Task<Result<TransferEvent?, FreshetError>, Never>? in
      guard !state.isCancelled else { return nil }
      state.isStepping = true
      let task = Task { [events] () -> Result<TransferEvent?, FreshetError> in
        do throws(FreshetError) {
          return .success(try await events.next())
        } catch {
          return .failure(error)
        }
      }
      state.step = task
      return task
    }
  }
}

/// An iterator that the steps of a call share.
///
/// It is `@unchecked Sendable` because ``TrackedCall`` never uses it in two places at once: `next()`
/// only in a step, of which there is at most one, and `release()` only when the lock has shown that no
/// step is running and that none will begin.
private final class HeldEvents: @unchecked Sendable {
  private var iterator: Transfer.Iterator?

  init(_ iterator: Transfer.Iterator) {
    self.iterator = iterator
  }

  func next() async throws(FreshetError) -> TransferEvent? {
    try await iterator?.next(isolation: #isolation)
  }

  func release() {
    iterator = nil
  }
}

extension Activity.Call {
  fileprivate mutating func note(_ event: TransferEvent) {
    switch event {
    case .sent(let progress):
      sent = progress
    case .head(let head):
      status = head.status
      received.total = head.decodedLength
    case .body(let chunk):
      received.completed += Int64(chunk.count)
    case .redirected, .retrying, .interim, .finished:
      break
    }
  }
}
