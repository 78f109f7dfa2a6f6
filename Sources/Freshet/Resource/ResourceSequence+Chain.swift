import Foundation

extension ResourceSequence {
  /// The stages of the preset, from the inside out; a store or a transport that is `nil` is passed.
  typealias Chain = SettleSequence<
    PersistSequence<
      PersistSequence<
        VerifySequence<
          DownloadSequence<
            RevalidateSequence<AnnounceStaleSequence<CheckExpirySequence<Lookups>>>
          >
        >,
        DiskStore
      >,
      MemoryStore
    >
  >
  typealias Lookups = LookupSequence<
    LookupSequence<LookupSequence<WantedSequence, SeedStore>, MemoryStore>, DiskStore
  >

  /// Writes the chain out: seeds, memory, disk, expiry, stale, validation, download, verification,
  /// disk, memory.
  init(
    _ request: Request,
    policy: ResourcePolicy,
    configuration: Client.Configuration,
    transport: any Transport,
    refreshes: Refreshes? = nil
  ) {
    let reception = ReceptionTools(
      transport: policy.network == .forbidden ? nil : transport,
      spool: Self.spool(policy, configuration),
      resumptions: policy.resumptions,
      now: configuration.now
    )
    let checked = CheckExpirySequence(
      base: Self.lookups(request, policy, configuration, transport),
      policy: policy.expiry,
      limits: policy.staleLimits,
      now: configuration.now
    )
    let validated = RevalidateSequence(
      base: AnnounceStaleSequence(
        base: checked,
        announcement: policy.stale,
        refresh: policy.network == .forbidden
          ? nil : Self.refresh(request, policy, configuration, transport, refreshes)
      ),
      revalidation: policy.revalidation,
      tools: reception
    )
    let verified = VerifySequence(
      base: DownloadSequence(base: validated, tools: reception),
      digest: policy.expected
    )
    let onDisk = PersistSequence(
      base: verified,
      store: policy.persistence == .everywhere ? configuration.disk : nil,
      expiry: policy.expiry
    )
    let kept = PersistSequence(
      base: onDisk,
      store: policy.persistence == .nowhere ? nil : configuration.memory,
      expiry: policy.expiry
    )
    chain = SettleSequence(base: kept)
  }

  private static func lookups(
    _ request: Request,
    _ policy: ResourcePolicy,
    _ configuration: Client.Configuration,
    _ transport: any Transport
  ) -> Lookups {
    let looksUp = policy.network != .required
    let wanted = WantedSequence(
      request: request,
      partition: configuration.partition,
      transport: transport
    )
    return LookupSequence(
      base: LookupSequence(
        base: LookupSequence(base: wanted, store: looksUp ? configuration.seeds : nil),
        store: looksUp ? configuration.memory : nil
      ),
      store: looksUp ? configuration.disk : nil
    )
  }

  /// The same fetch behind a value that is served stale.
  private static func refresh(
    _ request: Request,
    _ policy: ResourcePolicy,
    _ configuration: Client.Configuration,
    _ transport: any Transport,
    _ refreshes: Refreshes?
  ) -> (@Sendable (FetchContext) -> Void)? {
    guard policy.stale == .servedWhileRefreshing, let refreshes else { return nil }
    var request = request
    request.priority = .low
    var policy = policy
    policy.stale = .withheld
    var configuration = configuration
    // What runs must not keep alive what ends it.
    configuration.refreshes = nil
    let sequence = ResourceSequence(
      request,
      policy: policy,
      configuration: configuration,
      transport: transport
    )
    return { context in
      let subject = Refreshes.Subject(key: context.key, headers: context.headers)
      refreshes.begin(subject) { _ = try? await sequence.value }
    }
  }

  /// Where bodies arrive: what may not be kept on the disk is not begun there either.
  private static func spool(
    _ policy: ResourcePolicy,
    _ configuration: Client.Configuration
  ) -> Spool {
    var spool = Spool.temporary
    if policy.persistence == .everywhere, let disk = configuration.disk { spool = disk.spool }
    spool.threshold = configuration.memoryThreshold
    return spool
  }
}
