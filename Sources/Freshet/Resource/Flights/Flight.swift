import Synchronization

/// One run of the network's part of a fetch, for all who wait for it.
///
/// It runs in a task of its own, at its own pace: what it delivers waits for its readers, and no
/// reader waits for another.
final class Flight: Sendable {
  let urgency: Urgency
  /// The step with which the first subscriber came.
  let leader: Fetch.Departure
  /// A chain delivers a handful of steps, so that nothing needs to wait for a slow reader.
  let broadcast = Broadcast<Fetch, FreshetError>(limit: .max)
  private let task = Mutex<Task<Void, Never>?>(nil)
  private let boarded = Atomic(0)

  init(_ leader: Fetch.Departure, priority: Request.Priority) {
    self.leader = leader
    urgency = Urgency(priority)
  }

  /// How many share it besides the one who asks.
  var companionCount: Int { max(0, boarded.load(ordering: .relaxed) - 1) }

  func board() -> Broadcast<Fetch, FreshetError>.Reader {
    boarded.add(1, ordering: .relaxed)
    return broadcast.reader()
  }

  /// Runs the steps to their end; `landed` is called before the readers hear of it.
  func start(
    _ steps: some AsyncSequence<Fetch, FreshetError> & Sendable,
    landed: @escaping @Sendable () -> Void
  ) {
    let running = Urgency.$current.withValue(urgency) {
      Task { [broadcast] in
        var failure: FreshetError?
        do throws(FreshetError) {
          for try await step in steps {
            if case .progress(let progress) = step {
              broadcast.send(progress)
            } else {
              await broadcast.send(step)
            }
          }
        } catch {
          failure = error
        }
        landed()
        broadcast.end(failure)
      }
    }
    task.withLock { $0 = running }
  }

  func cancel() {
    task.withLock(\.self)?.cancel()
  }
}

/// One subscriber's place in a flight; it is given up when it is released.
final class FlightSeat: Sendable {
  let flight: Flight
  let reader: Broadcast<Fetch, FreshetError>.Reader
  private let ticket: Flights.State.Ticket
  private let flights: Flights

  init(_ flight: Flight, _ ticket: Flights.State.Ticket, in flights: Flights) {
    self.flight = flight
    self.ticket = ticket
    self.flights = flights
    reader = flight.board()
  }

  deinit {
    flights.leave(ticket)
  }
}
