import Foundation

extension ResourceSequence {
  /// The stages of the preset, from the inside out; a store or a transport that is `nil` is passed.
  typealias Chain = SettleSequence<
    PersistSequence<
      PersistSequence<
        VerifySequence<
          DownloadSequence<
            RevalidateSequence<
              AnnounceStaleSequence<CheckExpirySequence<VerifySequence<Lookups>>>
            >
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

  /// Writes the chain out: seeds, memory, disk, verification, expiry, stale, validation, download, verification,
  /// disk, memory.
  init(
    _ request: Request,
    policy: ResourcePolicy,
    configuration: Client.Configuration,
    transport: any Transport
  ) {
    let reception = ReceptionTools(
      transport: policy.network == .forbidden ? nil : transport,
      spool: Self.spool(policy, configuration),
      resumptions: policy.resumptions,
      now: configuration.now
    )
    let checked = CheckExpirySequence(
      base: VerifySequence(
        base: Self.lookups(request, policy, configuration),
        digest: policy.expected
      ),
      policy: policy.expiry,
      limits: policy.staleLimits,
      now: configuration.now
    )
    let validated = RevalidateSequence(
      base: AnnounceStaleSequence(base: checked, announcement: policy.stale),
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
    _ configuration: Client.Configuration
  ) -> Lookups {
    let looksUp = policy.network != .required
    let wanted = WantedSequence(request: request, partition: configuration.partition)
    return LookupSequence(
      base: LookupSequence(
        base: LookupSequence(base: wanted, store: looksUp ? configuration.seeds : nil),
        store: looksUp ? configuration.memory : nil
      ),
      store: looksUp ? configuration.disk : nil
    )
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
