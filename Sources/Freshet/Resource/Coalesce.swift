extension AsyncSequence where Self: Sendable, Element == Fetch, Failure == FreshetError {
  /// Shares the network's part of a fetch with all who want the same thing at the same time: one
  /// transfer, one validation, one write.
  ///
  /// - What the stages before it have answered passes untouched. A step that would go to the network
  ///   (`wanted`, `expired`) joins the flight for its request, or starts one that runs `shared` in a
  ///   task of its own.
  /// - The same thing is: key, method, header fields, timeouts, redirects, limits and tags of the
  ///   request, and the label; all but the priority. Requests with a body, or with another method
  ///   than `GET` and `HEAD`, are never shared, unless ``Request/cacheIdentity`` declares that they
  ///   only ask.
  /// - Who comes late gets the newest progress and the last step, and then everything to come.
  /// - Progress is conflated to the newest for each reader; steps are never dropped. A reader that is
  ///   slow, or reads no more, holds up neither the transfer nor the others.
  /// - A failure reaches everybody once. Cancelling one leaves the flight to the others, and it is
  ///   cancelled with the last one.
  /// - Who wants the same thing while a flight is being cancelled waits until that has put down what
  ///   had arrived, a second at most, looks again, and goes on with it.
  /// - The flight has the highest priority among those who wait for it.
  /// - Where more than one shared a flight, the explanation says `coalesced with` how many others.
  /// - A fetch whose lookups ended just before a flight landed looks again before it starts another.
  ///
  /// - Parameters:
  ///   - flights: Where flights are registered.
  ///   - label: What else must agree, such as the policy that the shared stages are made with.
  ///   - shared: The rest of the chain, which goes to the network and keeps what came; called once
  ///     a flight with the step of whoever starts it, and once for a description of the pipeline.
  /// - Returns: The steps, with those of the flight in place of `wanted` and `expired`.
  public func coalesce<Shared: AsyncSequence<Fetch, FreshetError> & Sendable>(
    in flights: Flights,
    label: String = "",
    through shared: @escaping @Sendable (FetchStep) -> Shared
  ) -> some AsyncSequence<Fetch, FreshetError> & Sendable {
    CoalesceSequence(
      lookups: { self },
      flights: flights,
      setting: .label(label),
      shared: shared
    )
  }
}

extension AsyncSequence
where Self: Sendable, Element == Event<Resource>, Failure == FreshetError {
  /// Runs the pipeline once for all who iterate one for the same request at the same time.
  ///
  /// The whole pipeline is shared, lookups included, on the terms of
  /// ``_Concurrency/AsyncSequence/coalesce(in:label:through:)``.
  ///
  /// - Parameters:
  ///   - flights: Where flights are registered.
  ///   - request: What the pipeline fetches.
  ///   - label: What else must agree; nothing by default.
  /// - Returns: The events.
  public func coalesce(
    in flights: Flights,
    for request: Request,
    label: String = ""
  ) -> some AsyncSequence<Event<Resource>, FreshetError> & Sendable {
    SettleSequence(
      base: CoalesceSequence(
        lookups: { [wanted = WantedSequence(request: request, partition: "")] in wanted },
        flights: flights,
        setting: .pipeline(label),
        shared: { _ in UnsettleSequence(base: self) }
      ),
      isWritten: false
    )
  }
}

// MARK: - Sequence

/// Without flights, each fetch runs the rest of the chain by itself.
///
/// Its parts are in one object, so that copying the sequence is cheap.
struct CoalesceSequence<Base: AsyncSequence & Sendable, Shared: AsyncSequence & Sendable>:
  AsyncSequence, Sendable
where
  Base.Element == Fetch,
  Base.Failure == FreshetError,
  Shared.Element == Fetch,
  Shared.Failure == FreshetError
{
  final class Parts: Sendable {
    /// The lookups of a round.
    let lookups: @Sendable () -> Base
    let flights: Flights?
    let setting: FlightKey.Setting
    let shared: @Sendable (FetchStep) -> Shared

    init(
      lookups: @escaping @Sendable () -> Base,
      flights: Flights?,
      setting: FlightKey.Setting,
      shared: @escaping @Sendable (FetchStep) -> Shared
    ) {
      self.lookups = lookups
      self.flights = flights
      self.setting = setting
      self.shared = shared
    }
  }

  /// The first round, where it has begun before.
  enum First: Sendable {
    /// These lookups are left.
    case lookups(Base)
    /// Nothing is left to look up.
    case departure(Fetch.Departure)
  }

  let parts: Parts
  let first: First?
  /// How many flights had landed before the first round began.
  let since: Int?

  init(
    lookups: @escaping @Sendable () -> Base,
    first: First? = nil,
    since: Int? = nil,
    flights: Flights?,
    setting: FlightKey.Setting,
    shared: @escaping @Sendable (FetchStep) -> Shared
  ) {
    parts = Parts(
      lookups: lookups,
      flights: flights,
      setting: setting,
      shared: shared
    )
    self.first = first
    self.since = since
  }

  func makeAsyncIterator() -> Iterator {
    Iterator(parts: parts, first: first, since: since)
  }
}
