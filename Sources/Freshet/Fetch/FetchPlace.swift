/// The position of a stage in a run, with the state of the run.
struct FetchPlace {
  let stages: StageList
  /// The index of the following stage.
  let next: Int
  /// The epoch of the chain's coalescer when the lookups began; `nil` once the run may not restart again.
  let epoch: Int?
  /// The instant at which the run began, in the order of events.
  let began: EventInstant
  let wantsProgress: Bool
  /// A Boolean value that indicates whether the run is a plan, which does not share, refresh or write.
  let isPlan: Bool
  /// The observation of the run, if its client is observed.
  let observation: RunObservation?

  /// Returns the part of the run after this stage, beginning with a step.
  ///
  /// - Parameters:
  ///   - step: The step.
  ///   - isBehindValue: A Boolean value that indicates whether its result goes to no reader; `false` by default.
  /// - Returns: The rest of the run.
  func rest(from step: Fetch, isBehindValue: Bool = false) -> FetchRest {
    FetchRest(
      stages: stages,
      next: next,
      step: step,
      observation: observation?.rest(offset: 0, isBehindValue: isBehindValue)
    )
  }
}

/// The part of a run after a stage, to be run in another task.
struct FetchRest: Sendable {
  let stages: StageList
  let next: Int
  let step: Fetch
  /// The observation of the run that it is the rest of, if its client is observed.
  let observation: RunObservation?

  /// A copy that does not retain the preceding stages.
  var alone: FetchRest {
    FetchRest(
      stages: stages.suffix(from: next),
      next: 0,
      step: step,
      observation: observation.map { $0.rest(offset: next, isBehindValue: $0.isBehindValue) }
    )
  }
}
