/// A first download that leads its flight in its host's task: what the shared stages of the preset do
/// then, one after the other, without their layers.
///
/// It is the way of nearly all fetches of a batch: no store has an answer, and nobody else has asked
/// yet. Those who join get the same steps as from the stages.
final class LedFetch {
  /// It is released before the flight lands: whoever comes then finds what it has put down.
  private let reception: Reception
  private let flight: LedFlight
  private let departure: Fetch.Departure
  private let disk: StoreKeeper<DiskStore>?
  private let memory: StoreKeeper<MemoryStore>?

  init(
    _ flight: LedFlight,
    _ departure: Fetch.Departure,
    _ reception: Reception,
    disk: StoreKeeper<DiskStore>?,
    memory: StoreKeeper<MemoryStore>?
  ) {
    self.flight = flight
    self.departure = departure
    self.reception = reception
    self.disk = disk
    self.memory = memory
  }

  /// Waits for the next event; `nil` after the final value.
  func next(
    isolation actor: isolated (any Actor)?
  ) async throws(FreshetError) -> Event<Resource>? {
    guard !flight.hasLanded else { return nil }
    do throws(FreshetError) {
      guard let step = try await received(isolation: actor) else {
        flight.land(nil)
        return nil
      }
      flight.seat.flight.send(step)
      // Nothing follows the result, so that the flight is over before the host does anything else.
      if step.isResult { flight.land(nil) }
      return try departure.own(step, of: flight.seat.flight).settled()
    } catch {
      flight.land(error)
      throw error
    }
  }

  /// The next step, kept where it belongs.
  private func received(
    isolation actor: isolated (any Actor)?
  ) async throws(FreshetError) -> Fetch? {
    var step: Fetch?
    do throws(FreshetError) {
      step = try await reception.next(isolation: actor)
    } catch {
      await disk?.learn(from: error)
      await memory?.learn(from: error)
      throw error
    }
    if let disk, let received = step {
      step = try await disk.kept(received, since: reception.askedAt)
    }
    if let memory, let received = step {
      step = try await memory.kept(received, since: reception.askedAt)
    }
    return step
  }
}
