/// A first download that leads its flight in its host's task: what the shared stages of the preset do
/// then, one after the other, without their layers.
///
/// It is the way of nearly all fetches of a batch: no store has an answer, and nobody else has asked
/// yet. Those who join get the same steps as from the stages.
final class LedFetch {
  /// What has arrived; it is put down before the flight lands, so that whoever comes then finds it.
  private var reception: Reception?
  private let place: FlightPlace
  private let host: FlightHost
  private let stages: LedStages
  private var hasLanded = false

  init(
    _ place: FlightPlace,
    by host: FlightHost,
    _ reception: Reception,
    _ stages: LedStages
  ) {
    self.place = place
    self.host = host
    self.reception = reception
    self.stages = stages
    host.lead(place)
  }

  deinit {
    reception = nil
    if !hasLanded { land(.cancelled) }
  }

  /// Waits for the next event; `nil` after the final value.
  func next(
    isolation actor: isolated (any Actor)?
  ) async throws(FreshetError) -> Event<Resource>? {
    guard !hasLanded, let reception else { return nil }
    do throws(FreshetError) {
      let step = try await reception.next(isolation: actor)
      guard stages.hasStores else { return try told(step) }
      return try told(try await stages.kept(step, since: reception.askedAt))
    } catch {
      if !hasLanded {
        if stages.hasStores { await stages.learn(from: error) }
        land(error)
      }
      throw error
    }
  }

  /// The step as the leader sees it, once all others have been told.
  ///
  /// It is no part of the waiting function, whose frame would have to hold its copies.
  @inline(never)
  private func told(_ step: consuming Fetch?) throws(FreshetError) -> Event<Resource>? {
    switch consume step {
    case nil:
      land(nil)
      return nil
    case .some(let step):
      if step.isResult {
        // Nothing follows the result: the flight is over before the host does anything else.
        guard land() else { return try step.settled() }
        place.flight.send(step)
        place.flight.finish(nil)
      } else {
        place.flight.send(step)
      }
      return try place.flight.leader.own(step, of: place.flight).settled()
    }
  }

  private func land(_ failure: FreshetError?) {
    hasLanded = true
    place.land(failure)
    host.leadNone()
  }

  /// Takes the flight out of the registry before its result is told: nobody boards any more.
  ///
  /// - Returns: Whether there is anybody to tell: who shares it, or waits for the end of one that was
  ///   given up.
  private func land() -> Bool {
    hasLanded = true
    place.land()
    let isGivenUp = host.leadNone()
    return isGivenUp || !place.flight.isAlone
  }
}
