/// One subscriber's place in a flight, which is given up once.
struct FlightPlace: Sendable {
  let flight: Flight
  private let flights: Flights
  private let number: Int
  private let subscriber: Int

  init(_ flight: Flight, _ ticket: Flights.State.Ticket, in flights: Flights) {
    self.flight = flight
    self.flights = flights
    number = ticket.flight
    subscriber = ticket.subscriber
  }

  /// What the registry knows the place by.
  ///
  /// The key is the leader's, which equals that of all who share the flight: it is not kept, because a
  /// place is copied from hand to hand.
  private var ticket: Flights.State.Ticket {
    Flights.State.Ticket(key: FlightKey(flight.leader), flight: number, subscriber: subscriber)
  }

  /// Gives the place up.
  func leave() {
    flights.leave(ticket, isDone: flight.isDone)
  }

  /// Takes the flight out of the registry: nobody boards any more.
  func land() {
    flights.land(ticket)
  }

  /// Takes the flight out of the registry, and then tells its readers that nothing follows.
  func land(_ failure: FreshetError?) {
    land()
    flight.finish(failure)
  }

  /// Runs the steps to their end in a task of the flight's own.
  func start(_ steps: some AsyncSequence<Fetch, FreshetError> & Sendable) {
    let task = Urgency.$current.withValue(flight.urgency) {
      Task {
        var failure: FreshetError?
        do throws(FreshetError) {
          for try await step in steps { flight.send(step) }
        } catch {
          failure = error
        }
        land(failure)
      }
    }
    flight.onCancel(.own(task))
  }
}
