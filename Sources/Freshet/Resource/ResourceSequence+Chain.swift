import Foundation

extension ResourceSequence {
  /// The stages of the preset, from the inside out; a store or a transport that is `nil` is passed.
  typealias Chain = SettleSequence<
    PersistSequence<
      PersistSequence<
        VerifySequence<
          DownloadSequence<
            RevalidateSequence<
              AnnounceStaleSequence<
                CheckExpirySequence<
                  LookupSequence<LookupSequence<WantedSequence, MemoryStore>, DiskStore>
                >
              >
            >
          >
        >,
        DiskStore
      >,
      MemoryStore
    >
  >

  /// Writes the chain out: memory, disk, expiry, stale, validation, download, verification, disk,
  /// memory.
  init(_ request: Request, policy: ResourcePolicy, configuration: Client.Configuration) {
    let memory = configuration.memory
    let disk = configuration.disk
    let now = configuration.now
    var spool = disk?.spool ?? .temporary
    spool.threshold = configuration.memoryThreshold
    let transport = policy.network == .allowed ? configuration.transport : nil

    let wanted = WantedSequence(request: request, partition: configuration.partition)
    let inMemory = LookupSequence(base: wanted, store: memory)
    let found = LookupSequence(base: inMemory, store: disk)
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
    chain = SettleSequence(base: kept)
  }
}
