/// The place of a stage in a run, see ``FetchStage/reply(to:at:)``.
public struct FetchPlace {
  let stages: StageList
  /// The index of the following stage.
  let next: Int
  /// The epoch of the chain's coalescer when the lookups began; `nil` once the run may not restart again.
  let epoch: Int?
  /// The instant at which the run began, in the order of events.
  let began: EventInstant
  let wantsProgress: Bool
  /// The worker's task that runs the fetch, if it can run a shared fetch as well.
  let worker: WorkerTask?
  /// A Boolean value that indicates whether the run is a plan, which does not share, refresh or write.
  public let isPlan: Bool
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
      began: began,
      observation: observation?.rest(offset: 0, isBehindValue: isBehindValue)
    )
  }
}

extension FetchPlace {
  /// Replies with the results of the stages after this one, which run as the source is read.
  ///
  /// In a plan, the step continues with the next stage instead, and the closure is not called.
  ///
  /// - Parameters:
  ///   - step: The step that these stages begin with.
  ///   - wrap: Returns a source that reads the one of these stages.
  /// - Returns: The reply.
  public func results(
    from step: Fetch,
    _ wrap: (any FetchSource) -> any FetchSource
  ) -> Fetch.Reply {
    if isPlan { return .step(step) }
    return .results(wrap(RestSource(rest(from: step), wantsProgress: wantsProgress)))
  }
}

/// A source that runs the part of a run after a stage.
final class RestSource: FetchSource {
  private var run: FetchRun

  init(_ rest: FetchRest, wantsProgress: Bool) {
    run = FetchRun(rest, wantsProgress: wantsProgress)
  }

  nonisolated(nonsending) func next() async throws(FreshetError) -> Fetch? {
    try await run.next(isolation: #isolation)
  }
}

/// The part of a run after a stage, to be run in another task.
struct FetchRest: Sendable {
  let stages: StageList
  let next: Int
  let step: Fetch
  /// The instant at which the run that it is the rest of began, in the order of events.
  let began: EventInstant
  /// The observation of the run that it is the rest of, if its client is observed.
  let observation: RunObservation?

  /// A copy that does not retain the preceding stages.
  var alone: FetchRest {
    FetchRest(
      stages: stages.suffix(from: next),
      next: 0,
      step: step,
      began: began,
      observation: observation.map { $0.rest(offset: next, isBehindValue: $0.isBehindValue) }
    )
  }
}
