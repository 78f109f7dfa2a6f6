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

  /// Makes a registry in which nothing is on its way.
  public init() {}

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
    case leads(FlightSeat)
    /// One more.
    case joins(FlightSeat)
  }

  /// Takes a place in the flight for a key.
  ///
  /// - Parameters:
  ///   - key: What is wanted.
  ///   - departure: The step with which the subscriber comes.
  ///   - since: The ``landings`` before the lookups that found nothing.
  ///   - urgency: The priority of a new flight; one of its own by default.
  /// - Returns: The place, or `nil` if a flight has landed since.
  func board(
    _ key: FlightKey,
    _ departure: Fetch.Departure,
    since: Int?,
    urgency: Urgency? = nil
  ) -> Boarding? {
    let priority = departure.context.request.priority
    let boarding = state.withLock { state in
      state.board(key, priority: priority, since: since) {
        Flight(departure, urgency: urgency ?? Urgency(priority))
      }
    }
    switch boarding {
    case .landedMeanwhile:
      return nil
    case .leads(let flight, let ticket):
      return .leads(FlightSeat(flight, ticket, in: self))
    case .joins(let flight, let ticket, let highest):
      flight.urgency.change(to: highest)
      return .joins(FlightSeat(flight, ticket, in: self))
    }
  }

  /// Lets nobody join the flights for a key, and for those that extend it, after something has changed
  /// at the origin; who waits for them already goes on waiting.
  func detach(coveredBy key: CacheKey) {
    state.withLock { $0.detach { key.covers($0.cacheKey) } }
  }

  func leave(_ ticket: State.Ticket) {
    switch state.withLock({ $0.leave(ticket) }) {
    case .last(let flight): flight.cancel()
    case .others(let flight, let highest): flight.urgency.change(to: highest)
    case .none: break
    }
  }

  func land(_ ticket: State.Ticket) {
    state.withLock { state in
      state.land(ticket)
      landingCount.store(state.landingCount, ordering: .releasing)
    }
  }
}
