/// What a chain would do now, see ``FetchChain/plan()``.
public struct FetchPlan: Sendable {
  /// The step before the first stage that would ask the network; the last step if none would.
  public let step: Fetch
  /// The request that would be sent, or `nil`.
  public let request: Request?
  /// The byte from which on that asks for the rest of a body whose beginning is stored; `nil` if it asks
  /// for the whole.
  public let resumesAt: Int64?
  /// The name of the stage that would send it.
  public let stage: StageName?
  /// The stale copy that would be shown meanwhile, or `nil`.
  public let announced: Resource?
}

extension FetchChain {
  /// Runs the chain up to the first stage that would ask the network, and asks that stage what it would
  /// send.
  ///
  /// - Nothing is sent, and nothing is written into stores. The beginning of a body that a fetch would
  ///   go on with is read, for the plan tells from where.
  /// - A fetch that would be shared is planned as if it were alone; nothing is refreshed in the
  ///   background.
  ///
  /// - Returns: The plan.
  /// - Throws: What a fetch would throw before it asks the network.
  public func plan() async throws(FreshetError) -> FetchPlan {
    var run = FetchRun(self, isPlan: true)
    var announced: Resource?
    var last: Fetch?
    while let step = try await run.next(isolation: #isolation) {
      if let (step, request, index) = run.stopped {
        let stage = stages.stages[index]
        var planned: (request: Request, position: Int64?) = (request, nil)
        if let stage = stage as? any ResumingFetchStage, stage.receives(step),
          let context = step.sendingContext
        {
          planned = await stage.options.planned(request, context)
        }
        return FetchPlan(
          step: step,
          request: planned.request,
          resumesAt: planned.position,
          stage: stage.name,
          announced: announced
        )
      }
      if case .resource(let resource) = step, !resource.isFinal { announced = resource }
      last = step
    }
    guard let last else { throw .noValue }
    return FetchPlan(step: last, request: nil, resumesAt: nil, stage: nil, announced: announced)
  }
}
