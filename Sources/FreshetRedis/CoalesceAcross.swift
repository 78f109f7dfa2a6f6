#if Redis && !canImport(Darwin)
public import Freshet

extension AsyncSequence where Self: Sendable, Element == Fetch, Failure == FreshetError {
  /// Shares the following stages among the processes that share a store: one process validates or
  /// downloads, the others wait for what it stores.
  ///
  /// ```swift
  /// let chain = Fetch.request(request)
  ///   .lookup(in: shared)
  ///   .checkExpiry(.http)
  ///   .coalesce(in: coalescer)
  ///   .coalesce(across: shared)
  ///   .revalidate(over: transport)
  ///   .download(over: transport)
  ///   .persist(in: shared)
  /// ```
  ///
  /// - A fetch takes a lease for its request, looks into the store once more, and runs the following
  ///   stages. The lease is renewed meanwhile, and ends after they have stored the response.
  /// - Where another process has the lease, a fetch waits for its end, and looks into the store. It waits
  ///   for ``SharedStore/Coalescing/wait`` at most, and then runs the following stages itself. Waiting counts
  ///   towards ``/Freshet/Request/Timeouts/total``.
  /// - A response that was stored while a fetch waited answers it even if it has to be validated with every
  ///   use (`no-cache`), as it would for concurrent fetches of one process.
  /// - The lease of a process that has died ends by itself after ``SharedStore/Coalescing/lease``, and the
  ///   next one takes it. The store then refuses what the former one may still write.
  /// - After a response that is not stored, no fetch waits for another one during 10 seconds. Those
  ///   that were waiting look into the disk store, which the processes may share, and then go
  ///   themselves. After a failure, the next one takes the lease.
  /// - If the server does not answer in time, a fetch runs the following stages itself.
  /// - Fetches are the same as for ``/Freshet/Coalescer``: by key, method and header fields. Those that
  ///   ask for a range, or have credentials without a partition, pass unchanged.
  ///
  /// - Parameters:
  ///   - store: The store, which has to be looked up before and persisted to behind.
  ///   - limits: The times; those of the store's configuration by default.
  /// - Returns: The chain with this stage.
  public func coalesce(
    across store: SharedStore,
    _ limits: SharedStore.Coalescing? = nil
  ) -> FetchChain {
    let chain = FetchChain(self)
    let limits = limits ?? store.configuration.coalescing ?? SharedStore.Coalescing()
    return chain.appending(CoalesceAcross(store, limits, after: chain.stageValues))
  }
}

extension StageName {
  /// The stage after which equal fetches of several processes are shared.
  public static let coalesceAcross = StageName("coalesceAcross")
}

extension SharedStore {
  /// Returns the stage of ``_Concurrency/AsyncSequence/coalesce(across:_:)``, if the store's configuration
  /// says so and its copies are looked up.
  public func networkStages(after stages: [any FetchStage]) -> [any FetchStage] {
    guard let limits = configuration.coalescing,
      stages.contains(where: { $0.name == .lookup(in: source) })
    else { return [] }
    return [CoalesceAcross(self, limits, after: stages)]
  }
}

/// Shares the stages after it, see ``_Concurrency/AsyncSequence/coalesce(across:_:)``.
struct CoalesceAcross: FetchStage {
  private let store: SharedStore
  private let limits: SharedStore.Coalescing
  /// The stages that check a copy.
  private let checks: [any FetchStage]
  /// The lookups on a disk, which may be shared too.
  private let diskLookups: [any FetchStage]

  /// The longest wait before a fetch asks for the lease again, because a message may be lost.
  private static let pause = Duration.seconds(1)

  init(_ store: SharedStore, _ limits: SharedStore.Coalescing, after stages: [any FetchStage]) {
    self.store = store
    self.limits = limits.bounded
    checks = stages.filter { [.verify, .refuseOtherTypes, .checkExpiry].contains($0.name) }
    diskLookups = stages.filter { $0.name == .lookup(in: .disk) }
  }

  var name: StageName { .coalesceAcross }
  var handles: Fetch.Kinds { [.wanted, .expired] }
  var stageDescription: String { ".coalesce(across: shared)" }

  func reply(
    to step: Fetch,
    at place: FetchPlace
  ) async throws(FreshetError) -> Fetch.Reply {
    guard !place.isPlan, let question = Fetch.Question(step), !question.isPrivate else {
      return .pass
    }
    let generation: RedisPool.Generation
    do throws(RedisFailure) {
      generation = try await store.generation()
    } catch { return .pass }
    store.pool.subscribe(store.names.leases, isWanted: true)
    let name = question.digest(salt: generation.salt)
    let waiter = store.leases.waiter(for: name)
    let began = ContinuousClock.now
    var wait = Duration.zero
    // The lease that this fetch has waited for first.
    var awaited: Int64?
    func noting(_ step: Fetch) -> Fetch {
      guard wait > .zero else { return step }
      return step.adding(.awaited(store.source, wait)).shortened(by: wait)
    }
    while true {
      let reply: SharedStore.LeaseReply
      do throws(RedisFailure) {
        reply = try await store.takeLease(name, for: limits.lease)
      } catch { return .step(noting(step)) }
      switch reply {
      case .open where awaited == nil:
        return .step(noting(step))
      case .open:
        return .step(noting(try await unstored(question) ?? step))
      case .taken(let lease):
        // Another process may have stored it since the lookup.
        let again = try await answer(question, after: awaited).map(noting)
        if let again, again.isResult {
          await lease.end(.stored)
          return .step(again)
        }
        let keys = question.keys
        return place.results(from: again ?? noting(step)) { LeasedSource($0, under: lease, keys) }
      case .held(let number, let left):
        awaited = awaited ?? number
        if let total = question.total, total <= wait {
          return .step(try noting(step).timedOut(now: store.now()))
        }
        let rest = min(limits.wait, question.total ?? limits.wait) - wait
        guard rest > .zero else { return .step(noting(step)) }
        // A lease that ends by itself is told to nobody.
        let pause = min(left + .milliseconds(5), Self.pause, rest)
        let end = await waiter.end(within: pause, of: number)
        wait = ContinuousClock.now - began
        switch end {
        case .stored: return .step(noting(try await answer(question, after: awaited) ?? step))
        case .unstored: return .step(noting(try await unstored(question) ?? step))
        case .over: break
        case nil: throw .cancelled
        }
      }
    }
  }

  /// Looks into the store once more, after waiting for the lease with a number, if there was one.
  ///
  /// - Returns: A resource, or an expired copy; `nil` if there is none.
  private func answer(
    _ question: Fetch.Question,
    after number: Int64?
  ) async throws(FreshetError) -> Fetch? {
    if let number,
      let copy = await store.find(question.key, for: question.headers, storedUnder: number)
    {
      let found = question.found(copy, in: store.source)
      let step = try await last(of: [], from: found)
      guard case .expired = step, copy.head.status.isSuccess else { return step }
      return found.validatedMeanwhile.map(Fetch.resource) ?? step
    }
    return try await last(of: [Lookup(in: store)], from: question.wanted)
  }

  /// Looks on the disk after waiting for a response that is not in the store: the processes may
  /// share the disk, and it takes larger bodies.
  ///
  /// - Returns: A resource, or an expired copy; `nil` if there is none.
  private func unstored(_ question: Fetch.Question) async throws(FreshetError) -> Fetch? {
    try await last(of: diskLookups, from: question.wanted)
  }

  /// Passes a step through stages and the checks.
  ///
  /// - Returns: The last step; `nil` if nothing was found.
  private func last(
    of stages: [any FetchStage],
    from step: Fetch
  ) async throws(FreshetError) -> Fetch? {
    var found: Fetch?
    let one = PulledSequence<Fetch?, Fetch, FreshetError>(from: step) { $0.take() }
    let chain = (stages + checks).reduce(FetchChain(one)) { $0.appending($1) }
    for try await step in chain { found = step }
    if case .wanted = found { return nil }
    return found
  }
}

/// The steps of the following stages, which ends a lease with the last one.
private final class LeasedSource: FetchSource {
  private let source: any FetchSource
  private let lease: Lease
  private let fence: Fence

  init(_ source: any FetchSource, under lease: Lease, _ keys: Set<CacheKey>) {
    self.source = source
    self.lease = lease
    fence = Fence(lease: lease, keys: keys)
  }

  nonisolated(nonsending) func next() async throws(FreshetError) -> Fetch? {
    let result = await Fence.$current.withValue(fence) {
      await Result.awaiting { () async throws(FreshetError) in try await source.next() }
    }
    switch result {
    case .success(let step?) where !step.isResult: break
    case .success(.downloaded(let downloaded)):
      await lease.end(downloaded.explanation.contains(.stored(.shared)) ? .stored : .unstored)
    default: await lease.end(.over)
    }
    return try result.get()
  }
}
#endif
