public import FreshetEssentials

extension AsyncSequence where Self: Sendable, Element == Data, Failure: PipelineFailure {
  /// Parses a body as an event stream (server-sent events) by the HTML standard.
  ///
  /// - Lines may end with LF, CR or CRLF; a byte order mark at the beginning is skipped.
  /// - An event is delivered when its empty line has arrived. An event that is incomplete at the
  ///   end of the body, or has no data, is dropped.
  /// - Comments and unknown fields are skipped.
  ///
  /// It reads one body. A body of another media type has no events, and is no error unless
  /// ``BodyStream/validate(contentType:)`` precedes. ``Client/events(_:reconnection:)`` checks the
  /// media type, and reconnects.
  ///
  /// - Parameter limit: The longest line, and the longest data of an event, in bytes; 1 MiB by
  ///   default. Longer ones fail with ``FreshetError/limitExceeded(_:url:)``.
  /// - Returns: The events in order.
  public func events(
    limit: Int = 1 << 20
  ) -> some AsyncSequence<ServerSentEvent, Failure> & Sendable {
    EventsSequence(base: self, limit: limit)
  }
}

// MARK: - Sequence

struct EventsSequence<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Base.Element == Data, Base.Failure: PipelineFailure {
  let base: Base
  let limit: Int

  func makeAsyncIterator() -> Iterator {
    Iterator(base.makeAsyncIterator(), lastEventID: "", limit: limit)
  }

  typealias Iterator = EventReader<Base.AsyncIterator>
}

// MARK: - Iterator

/// Reads the events of one body.
struct EventReader<Base: AsyncIteratorProtocol>: AsyncIteratorProtocol
where Base.Element == Data, Base.Failure: PipelineFailure {
  private var reader: LineReader<Base>
  private(set) var parser: ServerSentEventParser

  init(_ base: Base, lastEventID: String, limit: Int) {
    reader = LineReader(base, .any, limit: limit)
    parser = ServerSentEventParser(lastEventID: lastEventID, limit: limit)
  }

  mutating func next(
    isolation actor: isolated (any Actor)? = #isolation
  ) async throws(Base.Failure) -> ServerSentEvent? {
    while let line = try await reader.next() {
      let event: ServerSentEvent?
      do {
        event = try parser.take(line)
      } catch {
        throw reader.fail(error)
      }
      if let event { return event }
    }
    return nil
  }
}

@available(*, unavailable)
extension EventReader: Sendable {}

// MARK: - Description

extension EventsSequence: PipelineStage {
  var stageDescription: String {
    ".events" + PipelineText.parameters(PipelineText.unless(1 << 20, limit, "limit"))
  }
}
