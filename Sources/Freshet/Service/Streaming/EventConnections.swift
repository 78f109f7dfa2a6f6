import FreshetEssentials

/// The connections of an event stream, one after the other.
final class EventConnections {
  private enum Phase {
    /// The next connection is told, and then made.
    case ready
    case connecting
    case open(EventReader<BodyStream.Iterator>)
    /// The next connection waits for a moment.
    case waiting(until: Duration)
    case over
  }

  private let stream: EventStream
  private var phase = Phase.ready
  private(set) var lastEventID: String
  private var retry: Duration?
  /// The number of connections in a row that have failed or ended without an event.
  private var failures = 0
  /// The number of pauses since the last event, those after silent connections excluded.
  private var pauses = 0
  /// A Boolean value that indicates whether the last connection has delivered an event.
  private var hasDelivered = false
  /// A Boolean value that indicates whether the body of the last connection has a content coding.
  private var isCoded = false
  /// The time of the whole stream, as soon as it has begun.
  private var timer: CallTimer?
  /// When the server lets the next connection begin at the earliest.
  private var earliest = Duration.zero

  init(_ stream: EventStream) {
    var request = stream.request
    if !request.headers.contains(.accept) { request.headers[.accept] = "text/event-stream" }
    if !request.headers.contains(.cacheControl) { request.headers[.cacheControl] = "no-store" }
    var stream = stream
    stream.request = request.scoped
    self.stream = stream
    lastEventID = stream.lastEventID
  }

  /// Waits for the next update; `nil` after the last.
  func next() async throws(FreshetError) -> EventStream.Update? {
    do throws(FreshetError) {
      switch phase {
      case .over:
        return nil
      case .ready:
        phase = .connecting
        return .connecting
      case .waiting(let moment):
        try await wait(until: moment)
        phase = .connecting
        return .connecting
      case .connecting:
        return try await connect()
      case .open(let reader):
        if let event = try await read(reader) { return .received(event) }
        guard !reconnects else {
          throw .connection(.lost, url: Redaction.shown(stream.request.url))
        }
        phase = .over
        return .closed
      }
    } catch {
      return try broke(error)
    }
  }
}

// MARK: - Steps

extension EventConnections {
  /// A Boolean value that indicates whether the request may be sent for another connection.
  private var reconnects: Bool {
    stream.request.isIdempotent && stream.request.isReplayable
  }

  private func connect() async throws(FreshetError) -> EventStream.Update {
    let timer = timer ?? CallTimer(stream.request, by: stream.clock)
    self.timer = timer
    hasDelivered = false
    var request = try timer.remaining(of: stream.request)
    // An id may hold what no field may; then the server goes on where it likes.
    if !lastEventID.isEmpty, !lastEventID.utf8.contains(where: ASCII.isControl) {
      request.headers[.lastEventID] = lastEventID
    }
    var body = BodyStream(request: request, transport: stream.transport).makeAsyncIterator()
    let head = try await body.head()
    guard head.status != .noContent else {
      phase = .over
      return .closed
    }
    guard MediaType.essence(in: head.headers) == "text/event-stream" else {
      throw .invalidResponse("it is not an event stream", url: Redaction.shown(head.url))
    }
    isCoded = head.headers.hasContentCoding
    phase = .open(EventReader(body, lastEventID: lastEventID, limit: stream.reconnection.limit))
    return .opened(head)
  }

  private func read(
    _ reader: EventReader<BodyStream.Iterator>
  ) async throws(FreshetError) -> ServerSentEvent? {
    var reader = reader
    // Two of it would copy what it has read at each change.
    phase = .connecting
    defer {
      lastEventID = reader.parser.lastEventID
      retry = reader.parser.retry ?? retry
      phase = .open(reader)
    }
    guard let event = try await reader.next() else { return nil }
    failures = 0
    pauses = 0
    hasDelivered = true
    return event
  }

  /// Waits before a new connection, at most until the stream's end.
  private func wait(until moment: Duration) async throws(FreshetError) {
    let deadline = timer?.deadline
    try await stream.clock.sleep(until: min(moment, deadline ?? moment))
    // A clock may be late, never early: there is nothing left if the pause would have been longer.
    if let deadline, deadline <= moment {
      throw .timedOut(.total, url: Redaction.shown(stream.request.url))
    }
  }

  /// Lets another connection follow, or ends the stream unless the failure may pass by itself.
  private func broke(_ error: FreshetError) throws(FreshetError) -> EventStream.Update {
    var wasOpen = false
    if case .open = phase { wasOpen = true }
    phase = .over
    // The head was that of an event stream; its body ended within its encoded form, or was damaged.
    var isCutOff = false
    if wasOpen, isCoded, case .invalidResponse = error { isCutOff = true }
    guard isCutOff || Reconnection.isTransient(error), !Task.isCancelled else {
      throw Task.isCancelled ? .cancelled : error
    }
    if case .status(let head, _) = error, let pause = head.retryAfter(now: stream.now()) {
      earliest = stream.clock.now + pause
    }
    // A server that has answered and has nothing to say has not failed; only events say that all is well.
    var isSilence = false
    if wasOpen, case .timedOut(.idle, _) = error { isSilence = true }
    if !isSilence {
      pauses += 1
      if !hasDelivered { failures += 1 }
    }
    guard reconnects, failures <= stream.reconnection.maximumFailures ?? .max else { throw error }
    let jitter = stream.generator.fraction()
    let pause = stream.reconnection.pause(number: pauses, retry: retry, jitter: jitter)
    let begin = stream.clock.now
    let moment = max(begin + pause, earliest)
    phase = .waiting(until: moment)
    return .reconnecting(after: moment - begin, because: error)
  }
}
