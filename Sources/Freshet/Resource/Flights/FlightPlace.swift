/// One subscriber's place in a flight, which is given up once.
struct FlightPlace: Sendable {
  let flight: Flight
  let ticket: Flights.State.Ticket
  let flights: Flights

  /// Gives the place up.
  func leave() {
    flights.leave(ticket, isDone: flight.isDone)
  }

  /// Takes the flight out of the registry, and then tells its readers that nothing follows.
  func land(_ failure: FreshetError?) {
    flights.land(ticket)
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
