import Foundation

extension ResourceSequence {
  /// What the chain begins with: a lookup in memory, which needs no suspension.
  ///
  /// It is a `resource` if the copy there may be used as it is, and nothing else is asked of it.
  func firstStep() throws(FreshetError) -> Fetch {
    guard !Task.isCancelled else { throw .cancelled }
    let wanted = Fetch.Wanted(context)
    guard let memory = settings.configuration.memory else { return .wanted(wanted) }
    let response = memory.peek(context.key, for: context.request.headers)
    let step = wanted.lookedUp(response, in: .memory)
    guard case .found(let found) = step, policy.expected == nil else { return step }
    let checked = found.checked(policy.expiry, now: settings.configuration.now())
    if case .resource = checked { return checked }
    return step
  }

  /// The stages behind the first step, under way.
  ///
  /// It is a class, so that the sequence and its iterator are a few references.
  final class Chain {
    private var iterator: Stages.AsyncIterator

    init(_ step: Fetch, of sequence: ResourceSequence) {
      iterator = sequence.stages(after: step).makeAsyncIterator()
    }

    func next(
      isolation actor: isolated (any Actor)?
    ) async throws(FreshetError) -> Event<Resource>? {
      try await iterator.next(isolation: actor)
    }
  }
}

extension ResourceSequence {
  /// The stages of the preset, from the inside out; a store or a transport that is `nil` is passed.
  typealias Stages = SettleSequence<
    PersistSequence<
      PersistSequence<
        VerifySequence<
          DownloadSequence<
            RevalidateSequence<
              AnnounceStaleSequence<
                CheckExpirySequence<LookupSequence<StepSequence, DiskStore>>
              >
            >
          >
        >,
        DiskStore
      >,
      MemoryStore
    >
  >

  /// Writes the chain out behind the lookup in memory: disk, expiry, stale, validation, download,
  /// verification, disk, memory.
  private func stages(after step: Fetch) -> Stages {
    let configuration = settings.configuration
    let memory = configuration.memory
    let disk = configuration.disk
    let now = configuration.now
    var spool = disk?.spool ?? .temporary
    spool.threshold = configuration.memoryThreshold
    let transport = policy.network == .allowed ? configuration.transport : nil

    let found = LookupSequence(base: StepSequence(step: step), store: disk)
    let checked = CheckExpirySequence(base: found, policy: policy.expiry, now: now)
    let announced = AnnounceStaleSequence(base: checked, announcement: policy.stale)
    let validated = RevalidateSequence(
      base: announced,
      revalidation: policy.revalidation,
      transport: transport,
      spool: spool,
      now: now
    )
    let downloaded = DownloadSequence(
      base: validated,
      transport: transport,
      spool: spool,
      now: now
    )
    let verified = VerifySequence(base: downloaded, digest: policy.expected)
    let onDisk = PersistSequence(base: verified, store: disk, expiry: policy.expiry)
    let kept = PersistSequence(base: onDisk, store: memory, expiry: policy.expiry)
    return SettleSequence(base: kept)
  }
}
