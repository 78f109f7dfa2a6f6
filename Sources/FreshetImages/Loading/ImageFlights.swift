import Freshet
import Synchronization

/// The loads under way: equal requests share one, which ends with its last reader.
final class ImageFlights: Sendable {
  typealias Load = Running<LoadedImage, ImageError>

  private struct Flight {
    let number: Int
    let load: Load
    var readers: Int
  }

  private struct State {
    var flights: [ImageRequest.Identity: Flight] = [:]
    var nextNumber = 0
  }

  private let state = Mutex(State())

  /// How many loads are under way.
  var count: Int { state.withLock { $0.flights.count } }

  /// Joins the load of an equal request, or begins one.
  func join<Pipeline: AsyncSequence & Sendable>(
    _ identity: ImageRequest.Identity,
    _ abandonment: ImageOptions.Abandonment,
    begin pipeline: () -> Pipeline
  ) -> ImageSeat
  where Pipeline.Element == Event<LoadedImage>, Pipeline.Failure == ImageError {
    let flight = state.withLock { state -> Flight in
      if var flight = state.flights[identity] {
        flight.readers += 1
        state.flights[identity] = flight
        return flight
      }
      state.nextNumber += 1
      let number = state.nextNumber
      let load = LandingSequence(base: pipeline()) { [self] in land(identity, number) }
      let flight = Flight(number: number, load: load.start(), readers: 1)
      state.flights[identity] = flight
      return flight
    }
    return ImageSeat(load: flight.load) { [self] in
      leave(identity, flight.number, abandonment)
    }
  }

  private func land(_ identity: ImageRequest.Identity, _ number: Int) {
    state.withLock { state in
      if state.flights[identity]?.number == number { state.flights[identity] = nil }
    }
  }

  private func leave(
    _ identity: ImageRequest.Identity,
    _ number: Int,
    _ abandonment: ImageOptions.Abandonment
  ) {
    let abandoned = state.withLock { state -> Load? in
      guard var flight = state.flights[identity], flight.number == number else { return nil }
      flight.readers -= 1
      state.flights[identity] = flight
      guard flight.readers <= 0, abandonment == .cancel else { return nil }
      state.flights[identity] = nil
      return flight.load
    }
    abandoned?.cancel()
  }
}

/// A reader's place in a load; releasing it gives it up.
final class ImageSeat: Sendable {
  let load: ImageFlights.Load
  private let giveUp: @Sendable () -> Void

  init(load: ImageFlights.Load, giveUp: @escaping @Sendable () -> Void) {
    self.load = load
    self.giveUp = giveUp
  }

  deinit {
    giveUp()
  }
}
