import Foundation

extension ResourceSequence {
  /// The stages of the preset, from the inside out; a store or a transport that is `nil` is passed.
  typealias Stages = SettleSequence<
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
    LookupSequence<LookupSequence<StepSequence, SeedStore>, MemoryStore>, DiskStore
  >

  /// Writes the chain out behind a step: seeds, memory, disk, expiry, stale, validation, download,
  /// verification, disk, memory.
  func stages(after start: Start) -> Stages {
    let configuration = client.settings.configuration
    let reception = ReceptionTools(
      transport: network,
      spool: spool,
      resumptions: policy.resumptions,
      now: configuration.now
    )
    let checked = CheckExpirySequence(
      base: lookups(after: start),
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
    return SettleSequence(base: kept)
  }

  private func lookups(after start: Start) -> Lookups {
    let stores = client.settings.configuration
    return LookupSequence(
      base: LookupSequence(
        base: LookupSequence(
          base: StepSequence(step: start.step),
          store: start.rest == .all ? stores.seeds : nil
        ),
        store: start.rest == .all ? stores.memory : nil
      ),
      store: start.rest != .none ? stores.disk : nil
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
