import Synchronization

/// An exchange of an app's own in a call that others may end.
///
/// Nothing is known of it but that the cancellation of its task ends a step: each step runs in a task of its
/// own. Between two steps the exchange is cancelled itself.
final class SteppedExchange: Exchange {
  private struct State {
    var step: Task<Result<TransferEvent?, FreshetError>, Never>?
    var isCancelled = false
  }

  let base: any Exchange
  private let state = Mutex(State())

  init(_ base: any Exchange) {
    self.base = base
  }

  func next() async throws(FreshetError) -> TransferEvent? {
    let step = state.withLock { state -> Task<Result<TransferEvent?, FreshetError>, Never>? in
      guard !state.isCancelled else { return nil }
      let step = Task { [base] in
        await Result.awaiting { () async throws(FreshetError) in try await base.next() }
      }
      state.step = step
      return step
    }
    guard let step else { throw .cancelled }
    let result = await withTaskCancellationHandler {
      await step.value
    } onCancel: {
      step.cancel()
    }
    let isCancelled = state.withLock { state in
      state.step = nil
      return state.isCancelled
    }
    if isCancelled {
      base.cancel()
      throw .cancelled
    }
    return try result.get()
  }

  func cancel() {
    let (step, isFirst) = state.withLock { state in
      defer { state.isCancelled = true }
      return (state.step, !state.isCancelled)
    }
    if let step { step.cancel() } else if isFirst { base.cancel() }
  }
}
