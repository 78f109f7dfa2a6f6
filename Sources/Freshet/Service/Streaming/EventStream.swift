import Foundation

/// A stream of server-sent events over several connections, see ``Client/events(_:reconnection:)``.
///
/// - Cold: each iterator opens its own connection.
/// - When a connection ends or breaks, or the server answers 408, 429, 500, 502, 503 or 504, it reconnects
///   after a pause, with the last id as `Last-Event-ID`, unless the id has a control character.
/// - A connection that receives nothing for ``Request/Timeouts/idle`` is opened again and does not
///   count as a failure, because a server may have nothing to send. A `Retry-After` is respected.
/// - ``Request/Timeouts/total`` limits the whole stream, with all connections and the pauses between them.
/// - It ends after a 204, by which the server ends the stream.
/// - It fails with ``FreshetError/invalidResponse(_:url:)`` if the response is no
///   `text/event-stream`, whatever its parameters are, with ``FreshetError/status(_:body:)`` for
///   other statuses, with the last failure after ``Reconnection/maximumFailures`` of them, and with
///   ``FreshetError/cancelled`` when its task is cancelled, also during a pause.
/// - A request with a body that is not replayable is sent once.
/// - Pulled: a slow reader slows the socket.
public struct EventStream: AsyncSequence, Sendable {
  let request: Request
  let transport: any Transport
  let reconnection: Reconnection
  let clock: CallClock
  let generator: SharedGenerator
  let now: @Sendable () -> Date

  /// Makes an iterator; nothing is sent yet.
  public func makeAsyncIterator() -> Iterator {
    Iterator(self)
  }

  /// Pulls the events of all connections.
  public struct Iterator: AsyncIteratorProtocol {
    private let request: Request
    private let transport: any Transport
    private let reconnection: Reconnection
    private let clock: CallClock
    private let generator: SharedGenerator
    private let now: @Sendable () -> Date
    private var isOver = false
    /// The open connection.
    private var reader: EventReader<BodyStream.Iterator>?
    private var lastEventID = ""
    private var retry: Duration?
    /// The number of connections in a row that have failed or ended without an event.
    private var failures = 0
    /// The end of the whole stream, once it has begun.
    private var deadline: Duration?
    private var connections = 0
    /// The earliest time of the next connection that the server has asked for.
    private var earliest = Duration.zero

    init(_ stream: EventStream) {
      var request = stream.request
      if !request.headers.contains(.accept) { request.headers[.accept] = "text/event-stream" }
      if !request.headers.contains(.cacheControl) { request.headers[.cacheControl] = "no-store" }
      self.request = request.scoped
      transport = stream.transport
      reconnection = stream.reconnection
      clock = stream.clock
      generator = stream.generator
      now = stream.now
    }

    /// Waits for the next event; `nil` when the server has ended the stream.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> ServerSentEvent? {
      while true {
        do throws(FreshetError) {
          if isOver { return nil }
          guard reader != nil else {
            try await connect(isolation: actor)
            continue
          }
          if let event = try await read(isolation: actor) { return event }
          throw .connection(.lost, url: Redaction.shown(request.url))
        } catch {
          try failed(error)
        }
      }
    }
  }
}

@available(*, unavailable)
extension EventStream.Iterator: Sendable {}

// MARK: - Connections

extension EventStream.Iterator {
  private mutating func connect(
    isolation actor: isolated (any Actor)?
  ) async throws(FreshetError) {
    if connections > 0 { try await pause() }
    if connections == 0 { deadline = request.timeouts.total.map { clock.now + $0 } }
    connections += 1
    var request = request
    request.timeouts.total = try remaining()
    // An id may contain characters that no field may; the server then resumes wherever it likes.
    if !lastEventID.isEmpty, !lastEventID.utf8.contains(where: ASCII.isControl) {
      request.headers["Last-Event-ID"] = lastEventID
    }
    var body = BodyStream(request: request, transport: transport).makeAsyncIterator()
    let head = try await body.head(isolation: actor)
    guard head.status != .noContent else {
      isOver = true
      return
    }
    guard MediaType.essence(in: head.headers) == "text/event-stream" else {
      throw .invalidResponse("it is no event stream", url: Redaction.shown(head.url))
    }
    reader = EventReader(body, lastEventID: lastEventID, limit: reconnection.limit)
  }

  /// Waits before a new connection, at most until the stream's end.
  private mutating func pause() async throws(FreshetError) {
    let jitter = generator.fraction()
    let pause = reconnection.pause(after: failures, retry: retry, jitter: jitter)
    let moment = max(clock.now + pause, earliest)
    try await clock.sleep(until: min(moment, deadline ?? moment))
    // A clock may be late, never early: the time is used up if the pause would have been longer.
    if let deadline, deadline <= moment {
      throw .timedOut(.total, url: Redaction.shown(request.url))
    }
  }

  /// Returns the rest of the stream's time; `nil` if there is no limit.
  private func remaining() throws(FreshetError) -> Duration? {
    guard let deadline else { return nil }
    let remaining = deadline - clock.now
    guard remaining > .zero else {
      throw .timedOut(.total, url: Redaction.shown(request.url))
    }
    return remaining
  }

  private mutating func read(
    isolation actor: isolated (any Actor)?
  ) async throws(FreshetError) -> ServerSentEvent? {
    defer {
      if let parser = reader?.parser {
        lastEventID = parser.lastEventID
        retry = parser.retry ?? retry
      }
    }
    let event = try await reader?.next(isolation: actor)
    if event != nil { failures = 0 }
    return event
  }

  /// Ends the stream unless the failure is transient.
  private mutating func failed(_ error: FreshetError) throws(FreshetError) {
    let wasOpen = reader != nil
    reader = nil
    guard Reconnection.isTransient(error), !Task.isCancelled else {
      isOver = true
      throw Task.isCancelled ? .cancelled : error
    }
    if case .status(let head, _) = error, let pause = head.retryAfter(now: now()) {
      earliest = clock.now + pause
    }
    // A server that has answered and sends nothing has not failed; only events prove success.
    if wasOpen, case .timedOut(.idle, _) = error {} else { failures += 1 }
    let mayRepeat = request.body?.isReplayable ?? true
    guard mayRepeat, failures <= reconnection.maximumFailures ?? .max else {
      isOver = true
      throw error
    }
  }
}

// MARK: - Description

extension EventStream: Worded, CustomStringConvertible {
  /// The request of each connection.
  public var description: String { words.description }

  package var words: PipelineWords {
    PipelineWords("\(request)", ".events(over: \(Wording.transport(transport)))")
  }
}
