public import Foundation

extension Transfer {
  /// Makes a transfer of events that come from elsewhere, such as another transfer's, changed.
  ///
  /// - The events are passed on as they are: nothing is validated, no redirect is followed. They
  ///   must keep the order that ``TransferEvent`` describes.
  /// - It ends after the first `finished`, or when the events end or fail; nothing comes after.
  ///
  /// - Parameters:
  ///   - request: What the events answer.
  ///   - events: The events; iterated once each time the transfer is.
  public init<Events: AsyncSequence & Sendable>(_ request: Request, events: Events)
  where Events.Element == TransferEvent, Events.Failure == FreshetError {
    self.init(resolved: request) { _ in EventExchange(events.makeAsyncIterator()) }
  }

  /// Makes a transfer that delivers a response without sending anything.
  ///
  /// - Parameters:
  ///   - head: The response; a redirect is delivered, not followed.
  ///   - body: Its body; none by default.
  public init(response head: ResponseHead, body: Data = Data()) {
    self.init(resolved: Request(head.url)) { ResponseEvents(head: head, body: body) }
  }

  /// Makes a transfer that fails without sending anything.
  ///
  /// - Parameters:
  ///   - request: What is not sent.
  ///   - error: How every iteration fails.
  public init(_ request: Request, failing error: FreshetError) {
    self.init(request) { () async throws(FreshetError) in throw error }
  }

  /// Makes a transfer that must wait for something before it is known.
  ///
  /// - Parameters:
  ///   - request: What the transfer answers.
  ///   - prepare: Makes the transfer that is really iterated; called once an iteration, by its
  ///     first `next`, in the task that reads.
  public init(
    _ request: Request,
    preparing prepare: @escaping @Sendable () async throws(FreshetError) -> Transfer
  ) {
    self.init(resolved: request) { PreparedEvents(prepare: prepare) }
  }

  /// The same transfer with each event changed, or left out when the closure returns `nil`.
  ///
  /// - Parameter transform: Called in order, once an event; what it throws ends the transfer.
  /// - Returns: A transfer that is as cold as this one.
  public func mapEvents(
    _ transform: @escaping @Sendable (TransferEvent) throws(FreshetError) -> TransferEvent?
  ) -> Transfer {
    Transfer(resolved: request) {
      MappedEvents(base: makeAsyncIterator(), transform: transform)
    }
  }

  /// Makes a transfer of the events of an iterator.
  init<Events: AsyncIteratorProtocol & SendableMetatype>(
    resolved request: Request,
    events: @escaping @Sendable () -> Events
  ) where Events.Element == TransferEvent, Events.Failure == FreshetError {
    self.init(resolved: request) { _ in EventExchange(events()) }
  }

  /// Makes a transfer that follows the redirects itself and asks for the events of each hop.
  ///
  /// The request of a hop follows no redirects.
  init<Events: AsyncIteratorProtocol & SendableMetatype>(
    hops request: Request,
    events: @escaping @Sendable (Request) -> Events
  ) where Events.Element == TransferEvent, Events.Failure == FreshetError {
    self.init(request) { hop in
      var hop = hop
      hop.redirects = .none
      return EventExchange(events(hop))
    }
  }
}

// MARK: - Iterators

private struct ResponseEvents: AsyncIteratorProtocol {
  let head: ResponseHead
  let body: Data
  var step = 0

  mutating func next(
    isolation actor: isolated (any Actor)? = #isolation
  ) async throws(FreshetError) -> TransferEvent? {
    defer { step += 1 }
    switch step {
    case 0: return .head(head)
    case 1 where !body.isEmpty: return .body(body)
    case 1, 2: return .finished(TransferMetrics(bytesReceived: Int64(body.count)))
    default: return nil
    }
  }
}

private struct PreparedEvents: AsyncIteratorProtocol {
  let prepare: @Sendable () async throws(FreshetError) -> Transfer
  var events: Transfer.Iterator?

  mutating func next(
    isolation actor: isolated (any Actor)? = #isolation
  ) async throws(FreshetError) -> TransferEvent? {
    if events == nil {
      events = try await prepare().makeAsyncIterator()
    }
    return try await events?.next(isolation: actor)
  }
}

private struct MappedEvents: AsyncIteratorProtocol {
  var base: Transfer.Iterator
  let transform: @Sendable (TransferEvent) throws(FreshetError) -> TransferEvent?

  mutating func next(
    isolation actor: isolated (any Actor)? = #isolation
  ) async throws(FreshetError) -> TransferEvent? {
    while let event = try await base.next(isolation: actor) {
      if let event = try transform(event) { return event }
    }
    return nil
  }
}
