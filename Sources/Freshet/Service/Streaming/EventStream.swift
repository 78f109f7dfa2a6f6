import Foundation

/// A stream of server-sent events that outlives its connections, see
/// ``Client/events(_:reconnection:)``.
///
/// - Cold: each iterator connects for itself.
/// - When a connection ends or breaks, or the server answers 408, 429, 500, 502, 503 or 504, it
///   connects again after a pause, and `Last-Event-ID` tells the server where to go on, unless the id
///   has a control character.
/// - It ends after a 204, by which the server says that there is nothing more to come.
/// - It fails with ``FreshetError/invalidResponse(_:url:)`` if the response is no
///   `text/event-stream`, with ``FreshetError/status(_:body:)`` for other statuses, with the last
///   failure after ``Reconnection/maximumFailures`` of them, and with ``FreshetError/cancelled`` when
///   its task is cancelled, also during a pause.
/// - A request with a body that cannot be repeated is sent once.
/// - Pulled: a reader that does not ask slows the socket.
public struct EventStream: AsyncSequence, Sendable {
  let request: Request
  let transport: any Transport
  let reconnection: Reconnection
  let clock: CallClock
  let generator: SharedGenerator

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
    private var state = State.idle
    private var lastEventID = ""
    private var retry: Duration?
    /// Connections in a row that have brought neither an event nor a comment.
    private var failures = 0
    private var connections = 0

    private enum State {
      case idle
      case open(EventReader<BodyStream.Iterator>)
      case over
    }

    init(_ stream: EventStream) {
      var request = stream.request
      if !request.headers.contains(.accept) { request.headers[.accept] = "text/event-stream" }
      if !request.headers.contains(.cacheControl) { request.headers[.cacheControl] = "no-store" }
      self.request = request.scoped
      transport = stream.transport
      reconnection = stream.reconnection
      clock = stream.clock
      generator = stream.generator
    }

    /// Waits for the next event; `nil` when the server says that there are no more.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> ServerSentEvent? {
      while true {
        do throws(FreshetError) {
          switch state {
          case .over: return nil
          case .idle: try await connect(isolation: actor)
          case .open(var reader):
            let event = try await read(&reader, isolation: actor)
            if let event { return event }
            throw .connection(.lost, url: Redaction.shown(request.url))
          }
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
    if connections > 0 {
      let jitter = generator.fraction()
      let pause = reconnection.pause(after: failures, retry: retry, jitter: jitter)
      try await clock.sleep(until: clock.now + pause)
    }
    connections += 1
    var request = request
    // An id may hold what no field may; then the server goes on where it likes.
    if !lastEventID.isEmpty, !lastEventID.utf8.contains(where: ASCII.isControl) {
      request.headers["Last-Event-ID"] = lastEventID
    }
    var body = BodyStream(transfer: transport.send(request)).makeAsyncIterator()
    let head = try await body.head(isolation: actor)
    guard head.status != .noContent else {
      state = .over
      return
    }
    guard
      head.headers[.contentType].flatMap({ MediaType($0) })?.matches("text/event-stream") == true
    else {
      throw .invalidResponse("it is no event stream", url: Redaction.shown(head.url))
    }
    state = .open(EventReader(body, lastEventID: lastEventID, limit: reconnection.limit))
  }

  private mutating func read(
    _ reader: inout EventReader<BodyStream.Iterator>,
    isolation actor: isolated (any Actor)?
  ) async throws(FreshetError) -> ServerSentEvent? {
    defer {
      lastEventID = reader.parser.lastEventID
      retry = reader.parser.retry ?? retry
      if reader.parser.hasComment { failures = 0 }
    }
    let event = try await reader.next(isolation: actor)
    if event != nil { failures = 0 }
    state = .open(reader)
    return event
  }

  /// Ends the stream unless the failure may pass by itself.
  private mutating func failed(_ error: FreshetError) throws(FreshetError) {
    guard Reconnection.isTransient(error), !Task.isCancelled else {
      state = .over
      throw Task.isCancelled ? .cancelled : error
    }
    failures += 1
    let mayRepeat = request.body?.isReplayable ?? true
    guard mayRepeat, failures <= reconnection.maximumFailures ?? .max else {
      state = .over
      throw error
    }
    state = .idle
  }
}

// MARK: - Description

extension EventStream: Worded, CustomStringConvertible {
  /// The request that is sent for each connection.
  public var description: String { words.description }

  package var words: PipelineWords {
    PipelineWords("\(request)", ".events(over: \(Wording.transport(transport)))")
  }
}
