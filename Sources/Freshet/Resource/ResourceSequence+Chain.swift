import Foundation

extension ResourceSequence {
  /// The stages of the preset, from the inside out; a store or a transport that is `nil` is passed.
  typealias Chain = SettleSequence<CoalesceSequence<Local, Remote>>

  /// What each fetch does for itself.
  typealias Local = PersistSequence<VerifySequence<Lookups>, MemoryStore>

  /// What is found out without the network.
  typealias Lookups = AnnounceStaleSequence<CheckExpirySequence<Stores>>
  typealias Stores = LookupSequence<
    LookupSequence<LookupSequence<WantedSequence, SeedStore>, MemoryStore>, DiskStore
  >

  /// What all fetches of the same thing do together.
  typealias Remote = PersistSequence<
    PersistSequence<
      VerifySequence<DownloadSequence<RevalidateSequence<FetchStep>>>, DiskStore
    >,
    MemoryStore
  >

  /// Writes the chain out: seeds, memory, disk, expiry, stale, verification, memory; then, shared,
  /// validation, download, verification, disk, memory.
  ///
  /// A host runs the shared part in its own task.
  init(
    _ request: Request,
    policy: ResourcePolicy,
    configuration: Client.Configuration,
    transport: any Transport,
    flights: Flights?,
    host: FlightHost? = nil
  ) {
    let announced = Self.lookups(request, policy: policy, configuration: configuration)
    let verified = VerifySequence(base: announced, digest: policy.expected)
    let promoted = PersistSequence(
      base: verified,
      store: policy.persistence == .nowhere ? nil : configuration.memory,
      expiry: policy.expiry
    )
    let tools = ReceptionTools(
      transport: policy.network == .forbidden ? nil : transport,
      spool: Self.spool(policy, configuration),
      resumptions: policy.resumptions,
      now: configuration.now
    )
    let coalesced = CoalesceSequence(
      base: promoted,
      flights: policy.network == .forbidden ? nil : flights,
      setting: .policy(policy),
      host: host,
      shared: { step in Self.remote(step, policy, tools, configuration) }
    )
    chain = SettleSequence(base: coalesced)
  }

  /// Seeds, memory, disk, expiry, stale.
  static func lookups(
    _ request: Request,
    policy: ResourcePolicy,
    configuration: Client.Configuration
  ) -> Lookups {
    let looksUp = policy.network != .required
    let wanted = WantedSequence(request: request, partition: configuration.partition)
    let seeded = LookupSequence(base: wanted, store: looksUp ? configuration.seeds : nil)
    let inMemory = LookupSequence(base: seeded, store: looksUp ? configuration.memory : nil)
    let found = LookupSequence(base: inMemory, store: looksUp ? configuration.disk : nil)
    let checked = CheckExpirySequence(
      base: found,
      policy: policy.expiry,
      limits: policy.staleLimits,
      now: configuration.now
    )
    return AnnounceStaleSequence(base: checked, announcement: policy.stale)
  }

  private static func remote(
    _ step: FetchStep,
    _ policy: ResourcePolicy,
    _ tools: ReceptionTools,
    _ configuration: Client.Configuration
  ) -> Remote {
    let validated = RevalidateSequence(
      base: step,
      revalidation: policy.revalidation,
      tools: tools
    )
    let verified = VerifySequence(
      base: DownloadSequence(base: validated, tools: tools),
      digest: policy.expected
    )
    let onDisk = PersistSequence(
      base: verified,
      store: policy.persistence == .everywhere ? configuration.disk : nil,
      expiry: policy.expiry
    )
    return PersistSequence(
      base: onDisk,
      store: policy.persistence == .nowhere ? nil : configuration.memory,
      expiry: policy.expiry
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
