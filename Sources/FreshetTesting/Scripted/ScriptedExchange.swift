import Freshet
import Synchronization

/// One request and its scripted response.
final class ScriptedExchange: Exchange {
  private enum End {
    case finished
    case failed
    case cancelled
  }

  private struct State {
    var steps: ArraySlice<ScriptedResponse.Step>?
    var response: ScriptedResponse?
    var end: End?
    /// Ends the wait at a gate from outside.
    var waiting: Task<Void, any Error>?
  }

  private let request: Request
  private let answer: @Sendable (Request) -> ScriptedResponse
  private let record: Watched<ScriptedTransport.Record>
  private let state = Mutex(State())

  init(
    _ request: Request,
    answer: @escaping @Sendable (Request) -> ScriptedResponse,
    record: Watched<ScriptedTransport.Record>
  ) {
    self.request = request
    self.answer = answer
    self.record = record
  }

  deinit {
    cancel()
  }

  func next() async throws(FreshetError) -> TransferEvent? {
    start()
    while let step = try take() {
      switch step {
      case .wait(let gate): try await pass(gate)
      case .sent(let progress): return .sent(progress)
      case .head: return head()
      case .chunk(let chunk): return .body(chunk)
      case .fail(let error):
        finish(.failed)
        throw error
      case .finish:
        finish(.finished)
        return .finished(state.withLock { $0.response?.finalMetrics } ?? TransferMetrics())
      }
    }
    return nil
  }

  func cancel() {
    let waiting = state.withLock { state in
      defer { state.waiting = nil }
      return state.waiting
    }
    finish(.cancelled)
    waiting?.cancel()
  }

  /// Asks for the response at the first call.
  private func start() {
    guard state.withLock({ $0.steps == nil && $0.end == nil }) else { return }
    record.update { record in
      record.requests.append(request)
      record.counts.started += 1
    }
    let response = answer(request)
    state.withLock { state in
      state.response = response
      state.steps = response.steps[...]
    }
  }

  /// The next step, or `nil` after the end.
  private func take() throws(FreshetError) -> ScriptedResponse.Step? {
    switch state.withLock(\.end) {
    case .finished, .failed: return nil
    case .cancelled: throw .cancelled
    case nil: break
    }
    if Task.isCancelled {
      finish(.cancelled)
      throw .cancelled
    }
    return state.withLock { $0.steps?.popFirst() }
  }

  private func pass(_ gate: Gate) async throws(FreshetError) {
    let waiting = Task { try await gate.enter() }
    state.withLock { $0.waiting = waiting }
    if state.withLock({ $0.end != nil }) { waiting.cancel() }
    do {
      try await withTaskCancellationHandler {
        try await waiting.value
      } onCancel: {
        waiting.cancel()
      }
    } catch {
      finish(.cancelled)
      throw .cancelled
    }
    state.withLock { $0.waiting = nil }
  }

  private func head() -> TransferEvent {
    let response = state.withLock(\.response)
    return .head(
      ResponseHead(
        status: response?.status ?? .ok,
        headers: response?.headers ?? [:],
        url: request.url
      )
    )
  }

  /// Counts how it ended, the first time.
  private func finish(_ end: End) {
    let isCounted = state.withLock { state in
      guard state.end == nil else { return false }
      state.end = end
      return state.steps != nil
    }
    guard isCounted else { return }
    record.update { record in
      switch end {
      case .finished: record.counts.finished += 1
      case .failed: record.counts.failed += 1
      case .cancelled: record.counts.cancelled += 1
      }
    }
  }
}
