/// One run of a chain, which passes each step through the stages.
///
/// Stages that can reply without waiting are asked to do so first, so that a hit in memory needs no
/// suspension. Every execution of a chain is a run: presets, batches, shared fetches, background
/// refreshes and plans.
struct FetchRun {
  private let stages: StageList
  private let start: FetchChain.Start?
  private let wantsProgress: Bool
  /// The task that runs the fetch, if it is a worker's.
  private let worker: WorkerTask?
  /// A Boolean value that indicates whether the run is a plan, which ends at the first stage that would
  /// use the network.
  private let isPlan: Bool
  private(set) var stopped: (step: Fetch, request: Request, index: Int)?
  /// The stages, of which the stateful ones are the run's own.
  private var own: [any FetchStage]
  /// The current step, and the index of the next stage.
  private var current: (step: Fetch, next: Int)?
  /// The pending steps and sources, the next one last.
  private var pending: [Pending] = []
  private var hasBegun = false
  private var restarts = 0
  private var epoch: Int?
  private var began: EventInstant?
  private var hasAnnounced = false
  /// The work that the client waits for when it is shut down; `nil` once the run is over.
  private var work: ClientLifecycle.Work?
  /// The observation of the run, if its client is observed.
  private var observation: RunObservation?
  /// The lead of a shared fetch, if others share the steps of the run.
  private var lead: SharedFetchLead?
  /// The first step and stage of the part that restarts, and the number of pending steps and sources that
  /// are kept; `nil` while the whole chain restarts.
  private var restartPoint: (step: Fetch, next: Int, pending: Int)?

  private static let maximumRestarts = 3

  private enum Pending {
    case step(Fetch, next: Int)
    case source(any FetchSource, next: Int)
  }

  /// The next action of a run.
  private enum Advance {
    case step(Fetch)
    case end
    /// A stage has to be awaited.
    case stage(Fetch, index: Int)
    case source(any FetchSource, next: Int)
    /// An error is larger than any step.
    indirect case failure(FreshetError, index: Int)
  }

  /// Creates a run.
  ///
  /// - Parameters:
  ///   - chain: The chain.
  ///   - wantsProgress: A Boolean value that indicates whether the progress of a shared fetch wakes the
  ///     reader; `true` by default.
  ///   - worker: The task that runs the fetch, if it is a worker's; none by default.
  ///   - isPlan: A Boolean value that indicates whether the run ends at the first stage that would use
  ///     the network; `false` by default.
  init(
    _ chain: FetchChain,
    wantsProgress: Bool = true,
    in worker: WorkerTask? = nil,
    isPlan: Bool = false
  ) {
    stages = chain.stages
    own = stages.stages
    start = chain.start
    self.wantsProgress = wantsProgress
    self.worker = worker
    self.isPlan = isPlan
  }

  init(_ rest: FetchRest, wantsProgress: Bool = true, leading lead: SharedFetchLead? = nil) {
    stages = rest.stages
    own = stages.stages
    start = nil
    isPlan = false
    worker = nil
    self.wantsProgress = wantsProgress
    current = (rest.step, rest.next)
    restartPoint = (rest.step, rest.next, 0)
    began = rest.began
    observation = rest.observation
    self.lead = lead
  }

  /// Waits for the next step; `nil` after the last one.
  mutating func next(
    isolation actor: isolated (any Actor)?
  ) async throws(FreshetError) -> Fetch? {
    while true {
      switch try advance() {
      case .step(let step):
        endAbandonedObservation()
        observation?.delivered(step, isRest: start == nil)
        return step
      case .end:
        work = nil
        lead?.finish(nil)
        return nil
      case .stage(let step, let index): try await ask(index, step)
      case .source(let source, let next): try await pull(source, next)
      case .failure(let error, let index): try await fail(error, after: index)
      }
    }
  }

  /// Proceeds as far as possible without waiting.
  ///
  /// Not inlined, because its locals would be in the frame of each fetch that waits.
  @inline(never)
  private mutating func advance() throws(FreshetError) -> Advance {
    if !hasBegun { try begin() }
    while true {
      if let (step, next) = current.take() {
        if let advance = walk(step, from: next) { return advance }
        continue
      }
      let next = pending.popLast()
      if let restartPoint, pending.count < restartPoint.pending { self.restartPoint = nil }
      switch next {
      case .step(let step, let next): current = (step, next)
      case .source(let source, let next): return .source(source, next: next)
      case nil: return .end
      }
    }
  }

  private mutating func begin() throws(FreshetError) {
    hasBegun = true
    guard !Task.isCancelled else {
      current = nil
      throw .cancelled
    }
    if let lifecycle = stages.lifecycle {
      if lifecycle.isShutDown, let start { throw .shutDown(url: start.shownURL) }
      if !isPlan, let observer = lifecycle.observer, case .request(let context) = start {
        observation = RunObservation(observer.fetchBegan(context.request, ObservedStages(stages)))
      }
    }
    if stages.isStateful {
      own = own.map { ($0 as? any StatefulFetchStage)?.makeRunStage() ?? $0 }
    }
    load()
  }

  /// Makes the first step of the chain the current one.
  private mutating func load() {
    epoch = stages.coalescer?.epoch
    switch start {
    case .request(var context):
      if let transport = stages.transport { context = context.asking(transport) }
      current = (.wanted(Fetch.Wanted(context)), 0)
    case .steps(let steps):
      pending = [.source(SequenceSource(steps), next: 0)]
    case .some(.none), nil:
      break
    }
  }
}

// MARK: - Stages

extension FetchRun {
  /// Begins with a step of the sequence that the chain begins with, which restarts by itself.
  private mutating func beginAgain(with step: Fetch) {
    epoch = stages.coalescer?.epoch
    restarts = 0
    hasAnnounced = false
    began = nil
    restartPoint = (step, 0, pending.count)
  }

  /// Passes a step through the stages, up to the first one that has to be awaited.
  private mutating func walk(_ step: consuming Fetch, from first: Int) -> Advance? {
    var step = step
    var next = first
    while let index = stages.index(handling: step.kind, from: next) {
      if isPlan, let request = own[index].request(for: step) {
        stopped = (step, request, index)
        return .step(step)
      }
      do throws(FreshetError) {
        guard let reply = try own[index].replyNow(to: step) else {
          return .stage(step, index: index)
        }
        observation?.note(index, step.kind, reply)
        switch reply.content {
        case .pass: break
        case .step(let new): step = new
        default:
          guard let new = take(reply, step, at: index) else { return nil }
          step = new
        }
      } catch {
        return .failure(error, index: index)
      }
      next = index + 1
    }
    return shown(step)
  }

  /// Delivers a step after the last stage; a run that has restarted does not announce a copy again.
  private mutating func shown(_ step: consuming Fetch) -> Advance? {
    if case .resource(let resource) = step, !resource.isFinal {
      if hasAnnounced, restarts > 0 { return nil }
      hasAnnounced = true
    }
    if let lead { step = lead.send(step) }
    return .step(step)
  }

  /// Applies the reply of a stage, and returns the step that continues with the next stage, if any.
  private mutating func take(_ reply: Fetch.Reply, _ step: Fetch, at index: Int) -> Fetch? {
    switch reply.content {
    case .pass:
      return step
    case .step(let next):
      return next
    case .steps(let first, let second):
      pending.append(.step(second, next: index + 1))
      return first
    case .source(let source):
      pending.append(.source(source, next: index + 1))
    case .results(let source):
      pending.append(.source(source, next: stages.stages.count))
    case .lead(let lead):
      self.lead = lead
      restartPoint = (step, index + 1, pending.count)
      return step
    case .nothing:
      break
    case .restart:
      guard restarts < Self.maximumRestarts else { return step }
      restarts += 1
      if start != nil, lead == nil { began = nil }
      if let restartPoint {
        pending.removeLast(pending.count - restartPoint.pending)
        epoch = stages.coalescer?.epoch
        current = (restartPoint.step, restartPoint.next)
      } else {
        pending = []
        load()
      }
    }
    return nil
  }

  private mutating func beginWork() {
    if work == nil { work = stages.lifecycle?.begin() }
  }

  private mutating func ask(_ index: Int, _ step: Fetch) async throws(FreshetError) {
    beginWork()
    // Until the first wait, nothing slower than memory was queried.
    let began = self.began ?? EventInstant.now
    self.began = began
    do throws(FreshetError) {
      let place = FetchPlace(
        stages: stages,
        next: index + 1,
        epoch: restarts < Self.maximumRestarts ? epoch : nil,
        began: began,
        wantsProgress: wantsProgress,
        worker: lead == nil ? worker : nil,
        isPlan: isPlan,
        observation: observation
      )
      let reply = try await own[index].reply(to: step, at: place)
      observation?.note(index, step.kind, reply)
      if let next = take(reply, step, at: index) { current = (next, index + 1) }
    } catch {
      try await fail(error, after: index)
    }
  }

  private mutating func pull(_ source: any FetchSource, _ next: Int) async throws(FreshetError) {
    beginWork()
    do throws(FreshetError) {
      guard let step = try await source.next() else { return }
      observation?.pulled(next - 1, step)
      pending.append(.source(source, next: next))
      current = (step, next)
      if next == 0 { beginAgain(with: step) }
    } catch {
      try await fail(error, after: next - 1)
    }
  }

  /// Ends the observation of a run that only continues for other fetches, because its worker was cancelled.
  private mutating func endAbandonedObservation() {
    guard let observation, lead != nil, worker?.isCancelled == true else { return }
    observation.failed(.cancelled, isRest: false)
    self.observation = nil
  }

  /// Passes a failure to the later stages; it ends the run unless one of them recovers.
  private mutating func fail(_ error: FreshetError, after index: Int) async throws(FreshetError) {
    current = nil
    pending = []
    restartPoint?.pending = 0
    var failure = error
    observation?.note(index, [], .failed)
    for index in stages.stages.indices.dropFirst(index + 1)
    where stages.handled[index].contains(.failure) {
      do throws(FreshetError) {
        let reply = try await own[index].reply(to: failure)
        observation?.note(index, .failure, reply)
        switch reply.content {
        case .step(let step): current = (step, index + 1)
        case .steps(let first, let second):
          pending = [.step(second, next: index + 1)]
          current = (first, index + 1)
        case .source(let source): pending = [.source(source, next: index + 1)]
        case .pass, .nothing, .results, .lead, .restart: continue
        }
        return
      } catch {
        failure = error
      }
    }
    work = nil
    endAbandonedObservation()
    observation?.failed(failure, isRest: start == nil)
    lead?.finish(failure)
    throw failure
  }
}

extension FetchChain.Start {
  fileprivate var shownURL: String {
    guard case .request(let context) = self else { return "" }
    return Redaction.shown(context.request.url)
  }
}
