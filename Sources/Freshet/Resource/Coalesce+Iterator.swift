extension CoalesceSequence {
  struct Iterator: AsyncIteratorProtocol {
    private let parts: Parts
    private var lookups: Base.AsyncIterator?
    /// A step with which the first round ends before it begins.
    private var departure: Fetch.Departure?
    /// What has become of that step, where it has boarded already.
    var boarding: Flights.Boarding?
    /// What is run here; changed in its place, because copying it costs.
    private var steps: Shared.AsyncIterator?
    private var stage = Stage.local
    /// How many flights had landed before the lookups.
    private var since: Int?
    private var repetitions = 0
    private var hasAnnounced = false

    private enum Stage {
      case local
      /// Read from a flight.
      case shared(Passenger)
      /// Run here, for nobody else.
      case alone
      case over
    }

    /// A seat with what belongs to who sits there.
    private struct Passenger {
      let seat: FlightSeat
      let departure: Fetch.Departure
      let reader: Broadcast<Fetch, FreshetError>.Reader
      /// How much had arrived when the seat was taken.
      let inherited: Int64
    }

    init(parts: Parts, first: First?, since: Int?) {
      self.parts = parts
      self.since = since
      switch first {
      case .departure(let first): departure = first
      case .lookups(let first): lookups = first.makeAsyncIterator()
      case nil: lookups = parts.lookups().makeAsyncIterator()
      }
    }

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> Fetch? {
      if case .local = stage {
        if let step = try await local(isolation: actor) { return step }
        if case .local = stage { return nil }
      }
      do throws(FreshetError) {
        if let step = try await remote(isolation: actor) { return step }
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

// MARK: - Local

extension CoalesceSequence.Iterator {
  /// The next local step, or `nil` when there is none, or when the stage has changed.
  private mutating func local(
    isolation actor: isolated (any Actor)?
  ) async throws(FreshetError) -> Fetch? {
    if since == nil { since = parts.flights?.landings }
    if let departure = departure.take() {
      if try await board(departure, isolation: actor) { return nil }
      lookAgain()
    }
    while let step = try await lookups?.next(isolation: actor) {
      if case .resource(let resource) = step, !resource.isFinal {
        // A second round of lookups announces nothing twice.
        if hasAnnounced { continue }
        hasAnnounced = true
        return step
      }
      guard let departure = Fetch.Departure(step, setting: parts.setting) else { return step }
      if try await board(departure, isolation: actor) { return nil }
      lookAgain()
    }
    return nil
  }

  private mutating func lookAgain() {
    repetitions += 1
    since = parts.flights?.landings
    lookups = parts.lookups().makeAsyncIterator()
  }

  /// Changes the stage; `false` if the stores should be asked again first, which they are three times
  /// at most.
  ///
  /// It waits only for a flight that was cancelled, until that has put down what it has.
  private mutating func board(
    _ departure: Fetch.Departure,
    isolation actor: isolated (any Actor)?
  ) async throws(FreshetError) -> Bool {
    guard let flights = parts.flights, FlightKey.isShareable(departure.context.request) else {
      stage = .alone
      steps = parts.shared(FetchStep(step: departure.step)).makeAsyncIterator()
      return true
    }
    let place = boarding.take()
    let boarding = place ?? flights.board(departure, since: repetitions < 3 ? since : nil)
    switch boarding {
    case .leads(let place):
      join(FlightSeat(place), departure)
      place.start(parts.shared(FetchStep(step: departure.step)))
    case .joins(let seat):
      // What it has brought so far, it has brought for others.
      join(seat, departure, inherited: seat.flight.broadcast.newestProgress?.completed ?? 0)
    case .looksAgain:
      return false
    case .waits(let flight, let ticket):
      await flights.wait(for: flight, ticket, isolation: actor)
      guard !Task.isCancelled else { throw .cancelled }
      return false
    }
    return true
  }

  private mutating func join(
    _ seat: FlightSeat,
    _ departure: Fetch.Departure,
    inherited: Int64 = 0
  ) {
    let reader = seat.flight.broadcast.reader()
    stage = .shared(
      Passenger(seat: seat, departure: departure, reader: reader, inherited: inherited)
    )
  }
}

// MARK: - Remote

extension CoalesceSequence.Iterator {
  private mutating func remote(
    isolation actor: isolated (any Actor)?
  ) async throws(FreshetError) -> Fetch? {
    switch stage {
    case .shared(let passenger):
      switch try await passenger.reader.next(isolation: actor) {
      case .progress(let progress): return .progress(progress.inheriting(passenger.inherited))
      case .value(let step): return passenger.departure.own(step, of: passenger.seat.flight)
      case nil: return nil
      }
    case .alone:
      return try await steps?.next(isolation: actor)
    case .local, .over:
      return nil
    }
  }
}
