/// The place of a stage in a run.
struct FetchPlace {
  let stages: StageList
  /// The position behind the stage.
  let next: Int
  /// The number of completions of the chain's coalescer when the lookups began; `nil` once the run has
  /// restarted as often as it may.
  let epoch: Int?
  /// The instant at which the run began, in the order of events.
  let began: EventInstant
  let wantsProgress: Bool
  /// A Boolean value that indicates whether the run is a plan, which shares, refreshes and writes nothing.
  let isPlan: Bool

  /// A run of the stages behind this one, which begins with a step.
  func rest(from step: Fetch) -> FetchRest {
    FetchRest(stages: stages, next: next, step: step)
  }
}

/// The part of a run behind a stage, to be run in another task.
struct FetchRest: Sendable {
  let stages: StageList
  let next: Int
  let step: Fetch

  /// The same part, which does not keep the stages before it alive.
  var alone: FetchRest { FetchRest(stages: stages.suffix(from: next), next: 0, step: step) }
}
