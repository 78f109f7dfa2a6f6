import Foundation

extension ResourceSequence {
  /// The stages of the preset, from the inside out; a store or a transport that is `nil` is passed.
  typealias Chain = SettleSequence<CoalesceSequence<Local, Remote>>

  /// What each fetch does for itself.
  typealias Local = PersistSequence<VerifySequence<Lookups>, MemoryStore>

  /// What is found out without the network.
  typealias Lookups = AnnounceStaleSequence<
    CheckExpirySequence<LookupSequence<LookupSequence<WantedSequence, MemoryStore>, DiskStore>>
  >

  /// What all fetches of the same thing do together.
  typealias Remote = PersistSequence<
    PersistSequence<
      VerifySequence<DownloadSequence<RevalidateSequence<FetchStep>>>, DiskStore
    >,
    MemoryStore
  >

  /// Writes the chain out: memory, disk, expiry, stale, verification, memory; then, shared,
  /// validation, download, verification, disk, memory.
  ///
  /// A host runs the shared part in its own task.
  init(
    _ request: Request,
    policy: ResourcePolicy,
    configuration: Client.Configuration,
    host: FlightHost? = nil
  ) {
    let announced = Self.lookups(request, policy: policy, configuration: configuration)
    let verified = VerifySequence(base: announced, digest: policy.expected)
    let promoted = PersistSequence(
      base: verified,
      store: configuration.memory,
      expiry: policy.expiry
    )
    let coalesced = CoalesceSequence(
      base: promoted,
      flights: policy.network == .allowed ? configuration.flights : nil,
      setting: .policy(policy),
      host: host,
      shared: { step in Self.remote(step, policy: policy, configuration: configuration) }
    )
    chain = SettleSequence(base: coalesced)
  }

  /// Memory, disk, expiry, stale.
  static func lookups(
    _ request: Request,
    policy: ResourcePolicy,
    configuration: Client.Configuration
  ) -> Lookups {
    let wanted = WantedSequence(request: request, partition: configuration.partition)
    let inMemory = LookupSequence(base: wanted, store: configuration.memory)
    let found = LookupSequence(base: inMemory, store: configuration.disk)
    let checked = CheckExpirySequence(
      base: found,
      policy: policy.expiry,
      now: configuration.now
    )
    return AnnounceStaleSequence(base: checked, announcement: policy.stale)
  }

  private static func remote(
    _ step: FetchStep,
    policy: ResourcePolicy,
    configuration: Client.Configuration
  ) -> Remote {
    var spool = configuration.disk?.spool ?? .temporary
    spool.threshold = configuration.memoryThreshold
    let transport = policy.network == .allowed ? configuration.scheduledTransport : nil
    let validated = RevalidateSequence(
      base: step,
      revalidation: policy.revalidation,
      transport: transport,
      spool: spool,
      now: configuration.now
    )
    let downloaded = DownloadSequence(
      base: validated,
      transport: transport,
      spool: spool,
      now: configuration.now
    )
    let verified = VerifySequence(base: downloaded, digest: policy.expected)
    let onDisk = PersistSequence(base: verified, store: configuration.disk, expiry: policy.expiry)
    return PersistSequence(base: onDisk, store: configuration.memory, expiry: policy.expiry)
  }
}
