import FreshetEssentials

/// One hop of a call, which a demo answers or passes on to a real transport.
final class DemoEvents: AsyncIteratorProtocol {
  private let request: Request
  private let demo: DemoTransport
  private let base: (any Transport)?
  private var phase = Phase.start
  private var began: Duration = .zero
  private var sent = TransferProgress(sent: 0)
  private var received: Int64 = 0

  private enum Phase {
    case start
    case passing(Transfer.Iterator)
    case sending(Answer, (any AsyncIteratorProtocol<Data, any Error>)?)
    case answering(Answer)
    case body(Answer, BodyReader)
    case over
  }

  private struct Answer {
    let route: DemoRoute
    let answer: DemoAnswer
    let latency: Duration
  }

  init(request: Request, demo: DemoTransport, base: (any Transport)?) {
    self.request = request
    self.demo = demo
    self.base = base
  }

  func next(
    isolation actor: isolated (any Actor)? = #isolation
  ) async throws(FreshetError) -> TransferEvent? {
    if case .start = phase { try begin() }
    switch phase {
    case .passing(var events):
      defer { phase = .passing(events) }
      return try await events.next(isolation: actor)
    case .sending(let answer, var chunks):
      guard let chunk = try await nextChunk(&chunks) else {
        phase = .answering(answer)
        return try await next(isolation: actor)
      }
      phase = .sending(answer, chunks)
      sent.completed += Int64(chunk.count)
      return .sent(sent)
    case .answering(let answer): return try await head(of: answer)
    case .body(let answer, let reader): return try await chunk(of: answer, reader)
    case .start, .over: return nil
    }
  }
}

extension DemoEvents {
  private func begin() throws(FreshetError) {
    began = demo.clock.now
    guard let route = demo.route(for: request) else {
      guard let base else { throw .notStored(url: Redaction.shown(request.url)) }
      phase = .passing(base.send(request).makeAsyncIterator())
      return
    }
    // Both are always drawn, so that one route's settings do not affect another's random numbers.
    let (fate, share) = (demo.generator.fraction(), demo.generator.fraction())
    let span = route.latency.upperBound - route.latency.lowerBound
    let answer = Answer(
      route: route,
      answer: fate < route.failureProbability ? route.failure : route.success,
      latency: route.latency.lowerBound + span * share
    )
    // The body of an upgrade waits for the server's consent.
    let body = request.isUpgrade ? nil : request.body
    sent.total = try body?.currentLength()
    phase = .sending(answer, body?.chunks.makeAsyncIterator())
  }

  /// Takes the next chunk of the request's body, as a network would.
  private func nextChunk(
    _ chunks: inout (any AsyncIteratorProtocol<Data, any Error>)?
  ) async throws(FreshetError) -> Data? {
    do {
      return try await chunks?.next(isolation: #isolation)
    } catch let error as FreshetError {
      throw error
    } catch is CancellationError {
      throw .cancelled
    } catch {
      throw .invalidRequest("its body failed with \(type(of: error))", url: "")
    }
  }

  private func head(of answer: Answer) async throws(FreshetError) -> TransferEvent {
    try await wait(answer.latency)
    let body = try answer.answer.open(in: demo.directory)
    let head = answer.answer.head(for: body, at: request.url)
    let isEmpty = request.method == .head || !head.status.mayHaveBody
    phase = .body(
      answer,
      BodyReader(isEmpty ? ResourceBody(Data()) : body, count: max(1, answer.route.chunkSize))
    )
    return .head(head)
  }

  private func chunk(
    of answer: Answer,
    _ reader: BodyReader
  ) async throws(FreshetError) -> TransferEvent {
    var reader = reader
    guard let chunk = try reader.next() else {
      phase = .over
      let total = demo.clock.now - began
      return .finished(
        TransferMetrics(
          firstByte: answer.latency,
          total: total,
          bytesSent: sent.completed,
          bytesReceived: received,
          networkProtocol: "demo"
        )
      )
    }
    try await wait(answer.route.chunkPause)
    phase = .body(answer, reader)
    received += Int64(chunk.count)
    return .body(chunk)
  }

  /// Waits, but not beyond the call's total timeout.
  private func wait(_ duration: Duration) async throws(FreshetError) {
    let end = demo.clock.now + duration
    let deadline = request.timeouts.total.map { began + $0 }
    let moment = min(end, deadline ?? end)
    try await request.waiting { [clock = demo.clock] () async throws(FreshetError) in
      try await clock.sleep(until: moment)
    }
    if let deadline, deadline < end {
      throw .timedOut(.total, url: Redaction.shown(request.url))
    }
  }
}
