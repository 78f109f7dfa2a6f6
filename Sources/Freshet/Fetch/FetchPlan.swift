/// The plan of a chain: what it would do now, see ``FetchChain/plan()``.
public struct FetchPlan: Sendable {
  /// The step before the first stage that would use the network; the last step if there is no such stage.
  public let step: Fetch
  /// The request that would be sent, or `nil`.
  public let request: Request?
  /// The offset from which the request asks for the rest of a partly stored body; `nil` if it asks for
  /// the whole body.
  public let resumesAt: Int64?
  /// The name of the stage that would send the request.
  public let stage: StageName?
  /// The stale copy that would be shown in the meantime, or `nil`.
  public let announced: Resource?
}

extension FetchChain {
  /// Runs the chain up to the first stage that would use the network, and determines what that stage
  /// would send.
  ///
  /// - Nothing is sent, and nothing is written to stores. A partly stored body that a fetch would
  ///   resume is read, because the plan contains its length.
  /// - A fetch that would be shared is planned as if it were alone, and nothing is refreshed in the
  ///   background.
  ///
  /// - Returns: The plan.
  /// - Throws: The error of a fetch before it uses the network.
  public func plan() async throws(FreshetError) -> FetchPlan {
    var run = FetchRun(self, isPlan: true)
    var announced: Resource?
    var last: Fetch?
    while let step = try await run.next(isolation: #isolation) {
      if let (step, request, index) = run.stopped {
        let stage = stages.stages[index]
        var planned: (request: Request, position: Int64?) = (request, nil)
        if let context = step.asking?.context {
          switch stage {
          case let stage as Download:
            planned = await stage.options.planned(request, context, usesParts: true)
          case let stage as Revalidate where stage.revalidation == .conditional:
            planned = await stage.options.planned(request, context, usesParts: false)
          default: break
          }
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
