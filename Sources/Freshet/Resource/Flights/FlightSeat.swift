/// A place that is given up when the seat is released.
final class FlightSeat: Sendable {
  private let place: FlightPlace

  init(_ place: FlightPlace) {
    self.place = place
  }

  deinit {
    place.leave()
  }

  var flight: Flight { place.flight }
}
