import Freshet
import FreshetEssentials

/// One request and its scripted response.
final class ScriptedExchange: Exchange {
  private enum End {
    case finished
    case failed
    case cancelled
  }

  private struct State {
    var hasStarted = false
    var steps: ArraySlice<ScriptedResponse.Step>?
    var response: ScriptedResponse?
    var end: End?
    /// The number of gates passed.
    var passed = 0
    /// The peer that writes the body, once it has begun.
    var peer: ScriptedPeer?
    /// The bytes that the peer has written and the client has taken.
    var written: Int64 = 0
  }

  private let request: Request
  private let answer: @Sendable (Request, Int) -> ScriptedResponse
  private let record: Watched<ScriptedTransport.Record>
  private let state = Watched(State())

  init(
    _ request: Request,
    answer: @escaping @Sendable (Request, Int) -> ScriptedResponse,
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
      case .serve(let serve):
        if let chunk = try await chunk(by: serve) { return .body(chunk) }
      case .fail(let error):
        finish(.failed)
        throw error
      case .finish:
        finish(.finished)
        return .finished(
          state.read { $0.response?.finalMetrics(written: $0.written) } ?? TransferMetrics()
        )
      }
    }
    return nil
  }

  func cancel() {
    finish(.cancelled)
  }

  /// Gets the response at the first call.
  private func start() {
    let number = state.update { state -> Int? in
      guard !state.hasStarted, state.end == nil else { return nil }
      state.hasStarted = true
      // Under both locks, so that no end is counted before it.
      return record.update { record in
        record.requests.append(request)
        record.counts.started += 1
        return record.counts.started - 1
      }
    }
    guard let number else { return }
    let response = answer(request, number)
    state.update { state in
      state.response = response
      state.steps = response.steps[...]
    }
  }

  /// Returns the next step, or `nil` after the end.
  private func take() throws(FreshetError) -> ScriptedResponse.Step? {
    switch state.read(\.end) {
    case .finished, .failed: return nil
    case .cancelled: throw .cancelled
    case nil: break
    }
    if Task.isCancelled {
      finish(.cancelled)
      throw .cancelled
    }
    return state.update { $0.steps?.popFirst() }
  }

  private func pass(_ gate: Gate) async throws(FreshetError) {
    let passed = state.read(\.passed)
    guard let ticket = gate.queue(letGo: { [state] in state.update { $0.passed += 1 } }) else {
      return
    }
    await state.wait { $0.passed > passed || $0.end != nil }
    guard state.read({ $0.passed > passed && $0.end == nil }) else {
      gate.leave(ticket)
      finish(.cancelled)
      throw .cancelled
    }
  }

  /// Returns the next chunk of a body that is written while the request's is read; `nil` at its end.
  private func chunk(
    by serve: @escaping @Sendable (ScriptedPeer) async throws -> Void
  ) async throws(FreshetError) -> Data? {
    let request = request
    let peer = state.update { state -> ScriptedPeer? in
      guard state.end == nil else { return nil }
      let peer = state.peer ?? ScriptedPeer(request)
      state.peer = peer
      return peer
    }
    guard let peer else { throw .cancelled }
    peer.begin(serve)
    do throws(FreshetError) {
      guard let chunk = try await peer.nextChunk() else { return nil }
      state.update { state in
        let rest = state.steps ?? []
        state.steps = [.serve(serve)] + rest
        state.written += Int64(chunk.count)
      }
      return chunk
    } catch {
      finish(error.isCancelled ? .cancelled : .failed)
      throw error
    }
  }

  private func head() -> TransferEvent {
    let response = state.read(\.response)
    return .head(
      ResponseHead(
        status: response?.status ?? .ok,
        headers: response?.headers ?? [:],
        url: request.url
      )
    )
  }

  /// Counts the ending, the first time.
  private func finish(_ end: End) {
    let (isCounted, peer) = state.update { state -> (Bool, ScriptedPeer?) in
      guard state.end == nil else { return (false, nil) }
      state.end = end
      return (state.hasStarted, state.peer)
    }
    peer?.cancel()
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
