import Foundation

extension ResourceSequence {
  /// The stages of the preset, from the inside out; a store or a transport that is `nil` is passed.
  typealias Stages = SettleSequence<CoalesceSequence<Local, Remote>>

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

  /// The stages, under way.
  ///
  /// It is a class, so that the sequence and its iterator are a few references.
  final class Chain {
    private var iterator: Stages.AsyncIterator

    init(_ sequence: ResourceSequence) {
      iterator = sequence.stages.makeAsyncIterator()
    }

    func next(
      isolation actor: isolated (any Actor)?
    ) async throws(FreshetError) -> Event<Resource>? {
      try await iterator.next(isolation: actor)
    }
  }

  /// The chain, written out: seeds, memory, disk, expiry, stale, verification, memory; then, shared,
  /// validation, download, verification, disk, memory.
  var stages: Stages {
    let configuration = client.settings.configuration
    let verified = VerifySequence(
      base: Self.lookups(context, policy, configuration),
      digest: policy.expected
    )
    let promoted = PersistSequence(
      base: verified,
      store: policy.persistence == .nowhere ? nil : configuration.memory,
      expiry: policy.expiry
    )
    let isShared = policy.network != .forbidden && transport == nil
    return SettleSequence(
      base: CoalesceSequence(
        base: promoted,
        flights: isShared ? configuration.flights : nil,
        setting: .policy(policy),
        host: host,
        shared: { step in remote(step) }
      )
    )
  }

  /// Seeds, memory, disk, expiry, stale.
  static func lookups(
    _ context: FetchContext,
    _ policy: ResourcePolicy,
    _ configuration: Client.Configuration
  ) -> Lookups {
    let looksUp = policy.network != .required
    let wanted = WantedSequence(context: context)
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

  /// Validation, download, verification, disk, memory.
  private func remote(_ step: FetchStep) -> Remote {
    let configuration = client.settings.configuration
    let tools = ReceptionTools(
      transport: network,
      spool: spool,
      resumptions: policy.resumptions,
      now: configuration.now
    )
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

  private var network: (any Transport)? {
    guard policy.network != .forbidden else { return nil }
    return transport ?? client.resourceTransport(for: context.request)
  }

  /// Where bodies arrive: what may not be kept on the disk is not begun there either.
  private var spool: Spool {
    let configuration = client.settings.configuration
    var spool = Spool.temporary
    if policy.persistence == .everywhere, let disk = configuration.disk { spool = disk.spool }
    spool.threshold = configuration.memoryThreshold
    return spool
  }
}
