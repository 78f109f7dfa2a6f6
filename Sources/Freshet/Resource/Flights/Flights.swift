import Synchronization

/// What is on its way: the registry through which fetches of the same thing share one transfer.
///
/// A client has one of its own; what it shares, and with whom, is decided by who holds it. It keeps
/// nothing of what has arrived.
///
/// ```swift
/// let flights = Flights()
/// let logo = Fetch.request(request)
///   .lookup(in: memory)
///   .coalesce(in: flights) { $0.download(over: transport).persist(in: memory) }
///   .settle()
/// ```
public final class Flights: Sendable {
  typealias State = FlightsState<FlightKey, Flight>

  private let state = Mutex(State())
  /// Read by each fetch before its lookups, without the lock.
  private let landingCount = Atomic(0)
  /// How long a fetch waits for one that was cancelled to put down what it has.
  private let patience: Duration

  /// Makes a registry in which nothing is on its way.
  public convenience init() {
    self.init(patience: .seconds(1))
  }

  init(patience: Duration) {
    self.patience = patience
  }

  /// How many different things are on their way.
  public var count: Int { state.withLock(\.count) }

  /// How many fetches wait for them.
  public var subscriberCount: Int { state.withLock(\.subscriberCount) }

  /// How many flights have landed so far, to be compared with later.
  var landings: Int { landingCount.load(ordering: .acquiring) }
}

extension Flights {
  /// A place in a flight.
  enum Boarding {
    /// The first one: the flight has to be started, and has to land.
    case leads(FlightPlace)
    /// One more.
    case joins(FlightSeat)
    /// The stores have to be asked again first.
    case looksAgain
    /// They have to be asked again as soon as the flight has ended, or has been given up.
    case waits(Flight, State.Ticket)
  }

  /// Takes a place in the flight for what a departure wants.
  ///
  /// - Parameters:
  ///   - departure: The step with which the subscriber comes.
  ///   - since: The ``landings`` before the lookups that found nothing.
  ///   - host: Whose task runs a new flight; one of its own by default.
  /// - Returns: The place, or what has to be done before there is one.
  func board(
    _ departure: Fetch.Departure,
    since: Int?,
    host: FlightHost? = nil
  ) -> Boarding {
    let key = FlightKey(departure)
    let priority = departure.context.request.priority
    let boarding = state.withLock { state in
      let boarding = state.board(key, priority: priority, since: since) {
        host.map { Flight(departure, by: $0) } ?? Flight(departure, urgency: Urgency(priority))
      }
      switch boarding {
      case .leads(let flight, _):
        flight.board()
      case .joins(let flight, _, let highest):
        flight.board()
        // In the order in which they board and leave: the last change is the one that stays.
        flight.urgency.change(to: highest)
      case .landedMeanwhile, .leaving:
        break
      }
      return boarding
    }
    switch boarding {
    case .landedMeanwhile:
      return .looksAgain
    case .leaving(let flight, let ticket):
      return .waits(flight, ticket)
    case .leads(let flight, let ticket):
      return .leads(FlightPlace(flight, ticket, in: self))
    case .joins(let flight, let ticket, _):
      return .joins(FlightSeat(FlightPlace(flight, ticket, in: self)))
    }
  }

  /// Lets nobody join the flights for a key, and for those that extend it, after something has changed
  /// at the origin; who waits for them already goes on waiting.
  func detach(coveredBy key: CacheKey) {
    state.withLock { $0.detach { key.covers($0.cacheKey) } }
  }

  /// Gives a place up; the last one who does cancels the flight.
  ///
  /// - Parameters:
  ///   - ticket: The place.
  ///   - isDone: Whether the flight has delivered its result.
  func leave(_ ticket: State.Ticket, isDone: Bool) {
    let abandoned: Flight? = state.withLock { state in
      switch state.leave(ticket, isDone: isDone) {
      case .last(let flight): return flight
      case .others(let flight, let highest): flight.urgency.change(to: highest)
      case .none: break
      }
      return nil
    }
    abandoned?.cancel()
  }

  /// Waits for the end of a flight that is leaving, as long as is sensible; then nobody waits for it
  /// any more.
  func wait(
    for flight: Flight,
    _ ticket: State.Ticket,
    isolation actor: isolated (any Actor)?
  ) async {
    await flight.end(within: patience, isolation: actor)
    guard !Task.isCancelled else { return }
    land(ticket)
  }

  /// Says that a flight has ended.
  func land(_ ticket: State.Ticket) {
    state.withLock { state in
      state.land(ticket)
      landingCount.store(state.landingCount, ordering: .releasing)
    }
  }
}
