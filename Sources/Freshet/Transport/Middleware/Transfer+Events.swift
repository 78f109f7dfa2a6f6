public import FreshetEssentials

extension Transfer {
  /// Creates a transfer from a sequence of events, such as the modified events of another transfer.
  ///
  /// - The events are delivered as they are: nothing is validated, no redirect is followed. They must
  ///   be in the order that ``TransferEvent`` describes.
  /// - It ends after the first `finished`, or when the sequence ends or fails.
  ///
  /// - Parameters:
  ///   - request: The request that the events belong to.
  ///   - events: The sequence, which is iterated once for each iteration of the transfer.
  public init<Events: AsyncSequence & Sendable>(_ request: Request, events: Events)
  where Events.Element == TransferEvent, Events.Failure == FreshetError {
    self.init(request, isResolved: true) { _ in EventExchange(events.makeAsyncIterator()) }
  }

  /// Creates a transfer that delivers a response without sending anything.
  ///
  /// - Parameters:
  ///   - head: The head of the response; a redirect is delivered, not followed.
  ///   - body: The body of the response; empty by default.
  public init(response head: ResponseHead, body: Data = Data()) {
    var events: [TransferEvent] = [.head(head)]
    if !body.isEmpty { events.append(.body(body)) }
    events.append(.finished(TransferMetrics(bytesReceived: Int64(body.count))))
    let all = events
    self.init(resolved: Request(head.url)) {
      PulledEvents(from: all[...]) { $0.popFirst() }.makeAsyncIterator()
    }
  }

  /// Creates a transfer that fails without sending anything.
  ///
  /// - Parameters:
  ///   - request: The request, which is not sent.
  ///   - error: The error that each iteration throws.
  public init(_ request: Request, failing error: FreshetError) {
    self.init(request) { () async throws(FreshetError) in throw error }
  }

  /// Creates a transfer that is prepared asynchronously.
  ///
  /// - Parameters:
  ///   - request: The request that the transfer answers.
  ///   - prepare: Makes the transfer that is really iterated; called once an iteration, by its
  ///     first `next`, in the task that reads or in one made there.
  public init(
    _ request: Request,
    preparing prepare: @escaping @Sendable () async throws(FreshetError) -> Transfer
  ) {
    self.init(resolved: request) {
      PulledEvents<Transfer.Iterator?>(from: nil) { events throws(FreshetError) in
        if events == nil { events = try await request.waiting(prepare).makeAsyncIterator() }
        return try await events?.next()
      }
      .makeAsyncIterator()
    }
  }

  /// Returns a transfer whose events are changed, or left out if the closure returns `nil`.
  ///
  /// - Parameter transform: A closure that is called for each event in order; an error ends the transfer.
  /// - Returns: A transfer that is as cold as this one.
  public func mapEvents(
    _ transform: @escaping @Sendable (TransferEvent) throws(FreshetError) -> TransferEvent?
  ) -> Transfer {
    Transfer(resolved: request) {
      ConvertSequence(self, "", failure: { $0 }, convert: transform).makeAsyncIterator()
    }
  }

  /// Creates a transfer from the events of an iterator.
  init<Events: AsyncIteratorProtocol & SendableMetatype>(
    resolved request: Request,
    events: @escaping @Sendable () -> Events
  ) where Events.Element == TransferEvent, Events.Failure == FreshetError {
    self.init(request, isResolved: true, interruption: .within) { _ in EventExchange(events()) }
  }

  /// Creates a transfer that follows redirects itself, and requests the events of each hop.
  ///
  /// The request of a hop does not follow redirects.
  init<Events: AsyncIteratorProtocol & SendableMetatype>(
    hops request: Request,
    events: @escaping @Sendable (Request) -> Events
  ) where Events.Element == TransferEvent, Events.Failure == FreshetError {
    self.init(request, isResolved: false, interruption: .within) { hop in
      var hop = hop
      hop.redirects.maximumCount = 0
      return EventExchange(events(hop))
    }
  }
}

private typealias PulledEvents<State> = PulledSequence<State, TransferEvent, FreshetError>
