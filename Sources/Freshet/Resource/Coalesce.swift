extension AsyncSequence where Self: Sendable, Element == Fetch, Failure == FreshetError {
  /// Shares the network's part of a fetch with all who want the same thing at the same time: one
  /// transfer, one validation, one write.
  ///
  /// - What the stages before it have answered passes untouched. A step that would go to the network
  ///   (`wanted`, `expired`) joins the flight for its request, or starts one that runs `shared` in a
  ///   task of its own.
  /// - The same thing is: key, method, header fields, timeouts, redirects, limits and tags of the
  ///   request, and the label; all but the priority. Requests with a body, or with another method
  ///   than `GET` and `HEAD`, are never shared.
  /// - Who comes late gets the newest progress and the last step, and then everything to come.
  /// - Progress is conflated to the newest for each reader; steps are never dropped. A reader that is
  ///   slow, or reads no more, holds up neither the transfer nor the others.
  /// - A failure reaches everybody once. Cancelling one leaves the flight to the others, and it is
  ///   cancelled with the last one.
  /// - The flight has the highest priority among those who wait for it.
  /// - Where more than one shared a flight, the explanation says `coalesced with` how many others.
  /// - A fetch whose lookups ended just before a flight landed looks again before it starts another.
  ///
  /// - Parameters:
  ///   - flights: Where flights are registered.
  ///   - label: What else must agree, such as the policy that the shared stages are made with.
  ///   - shared: The rest of the chain, which goes to the network and keeps what came; called once
  ///     a flight with the step of whoever starts it.
  /// - Returns: The steps, with those of the flight in place of `wanted` and `expired`.
  public func coalesce<Shared: AsyncSequence<Fetch, FreshetError> & Sendable>(
    in flights: Flights,
    label: String = "",
    through shared: @escaping @Sendable (FetchStep) -> Shared
  ) -> some AsyncSequence<Fetch, FreshetError> & Sendable {
    CoalesceSequence(base: self, flights: flights, setting: .label(label), shared: shared)
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
        base: WantedSequence(request: request, partition: ""),
        flights: flights,
        setting: .pipeline(label),
        shared: { _ in UnsettleSequence(base: self) }
      )
    )
  }
}

// MARK: - Sequence

/// Without flights, each fetch runs the rest of the chain by itself.
struct CoalesceSequence<Base: AsyncSequence & Sendable, Shared: AsyncSequence & Sendable>:
  AsyncSequence, Sendable
where
  Base.Element == Fetch,
  Base.Failure == FreshetError,
  Shared.Element == Fetch,
  Shared.Failure == FreshetError
{
  let base: Base
  let flights: Flights?
  let setting: FlightKey.Setting
  let shared: @Sendable (FetchStep) -> Shared

  func makeAsyncIterator() -> Iterator {
    Iterator(sequence: self, base: base.makeAsyncIterator())
  }
}

// MARK: - Iterator

extension CoalesceSequence {
  struct Iterator: AsyncIteratorProtocol {
    private let sequence: CoalesceSequence
    private var base: Base.AsyncIterator
    private var stage = Stage.local
    /// How many flights had landed before the lookups.
    private var since: Int?
    private var repetitions = 0
    private var hasAnnounced = false

    private enum Stage {
      case local
      case shared(FlightSeat, Fetch.Departure)
      case alone(Shared.AsyncIterator)
      case over
    }

    init(sequence: CoalesceSequence, base: Base.AsyncIterator) {
      self.sequence = sequence
      self.base = base
    }

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> Fetch? {
      switch stage {
      case .local: return try await local(isolation: actor)
      case .shared(let seat, let departure):
        return try await shared(seat, departure, isolation: actor)
      case .alone(var steps):
        let step = try await steps.next(isolation: actor)
        stage = .alone(steps)
        return step
      case .over: return nil
      }
    }

    private mutating func local(
      isolation actor: isolated (any Actor)?
    ) async throws(FreshetError) -> Fetch? {
      if since == nil { since = sequence.flights?.landings }
      while true {
        let step = try await base.next(isolation: actor)
        guard let departure = Fetch.Departure(step) else {
          guard case .resource(let resource) = step, !resource.isFinal else { return step }
          // A second round of lookups announces nothing twice.
          if hasAnnounced { continue }
          hasAnnounced = true
          return step
        }
        guard let flights = sequence.flights, FlightKey.isShareable(departure.context.request)
        else {
          stage = .alone(sequence.shared(FetchStep(step: departure.step)).makeAsyncIterator())
          return try await next(isolation: actor)
        }
        if let seat = board(flights, departure) {
          stage = .shared(seat, departure)
          return try await shared(seat, departure, isolation: actor)
        }
        repetitions += 1
        since = flights.landings
        base = sequence.base.makeAsyncIterator()
      }
    }

    /// Takes a seat; `nil` if the stores should be asked again first, which they are three times at
    /// most.
    private func board(_ flights: Flights, _ departure: Fetch.Departure) -> FlightSeat? {
      let request = departure.context.request
      return flights.board(
        FlightKey(request, key: departure.context.key, setting: sequence.setting),
        priority: request.priority,
        since: repetitions < 3 ? since : nil,
        leader: departure
      ) { flight, landed in
        flight.start(sequence.shared(FetchStep(step: departure.step)), landed: landed)
      }
    }

    private mutating func shared(
      _ seat: FlightSeat,
      _ departure: Fetch.Departure,
      isolation actor: isolated (any Actor)?
    ) async throws(FreshetError) -> Fetch? {
      do throws(FreshetError) {
        switch try await seat.reader.next(isolation: actor) {
        case .progress(let progress): return .progress(progress)
        case .value(let step): return departure.own(step, of: seat.flight)
        case nil: break
        }
      } catch {
        // Who has failed gives the seat up at once, even if the iterator lives on.
        stage = .over
        throw error
      }
      stage = .over
      return nil
    }
  }
}

@available(*, unavailable)
extension CoalesceSequence.Iterator: Sendable {}
