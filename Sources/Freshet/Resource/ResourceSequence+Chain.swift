import Foundation

extension ResourceSequence {
  /// The stages of the preset, from the inside out; a store or a transport that is `nil` is passed.
  typealias Stages = SettleSequence<CoalesceSequence<Local, Remote>>

  /// What each fetch does for itself.
  typealias Local = PersistSequence<Lookups, MemoryStore>

  /// What is found out without the network.
  typealias Lookups = AnnounceStaleSequence<CheckExpirySequence<VerifySequence<Stores>>>
  typealias Stores = LookupSequence<
    LookupSequence<LookupSequence<FetchStep, SeedStore>, MemoryStore>, DiskStore
  >

  /// What all fetches of the same thing do together.
  typealias Remote = PersistSequence<
    PersistSequence<
      VerifySequence<DownloadSequence<RevalidateSequence<FetchStep>>>, DiskStore
    >,
    MemoryStore
  >

  /// The chain, written out behind a start: seeds, memory, disk, verification, expiry, stale, memory;
  /// then, shared, validation, download, verification, disk, memory.
  func stages(after start: borrowing Start) -> Stages {
    SettleSequence(
      base: CoalesceSequence(
        lookups: { local(after: beginning) },
        first: first(after: start),
        since: start.since,
        flights: flights,
        // Who wants error responses whole gets none that was cut for somebody else.
        setting: .choices(choices),
        shared: { step in remote(step) }
      )
    )
  }

  /// The stages under way.
  ///
  /// It is a class, so that the sequence and its iterator are a few references.
  final class Chain {
    private var stages: Stages.AsyncIterator

    init(_ stages: Stages.AsyncIterator) {
      self.stages = stages
    }

    func next(
      isolation actor: isolated (any Actor)?
    ) async throws(FreshetError) -> Event<Resource>? {
      try await stages.next(isolation: actor)
    }
  }

  /// What fetches share; nothing where the network is forbidden, or the transport the call's own.
  var flights: Flights? {
    guard policy.network != .forbidden, case .client = choices.route else { return nil }
    return client.settings.configuration.flights
  }

  /// What is left of the first round.
  private func first(after start: borrowing Start) -> CoalesceSequence<Local, Remote>.First {
    if let departure = departure(after: start) { return .departure(departure) }
    return .lookups(local(after: start))
  }

  /// The step with which the first round ends before it begins, where no store is left to ask.
  private func departure(after start: borrowing Start) -> Fetch.Departure? {
    // What is wanted passes the other stages untouched.
    isMissing(after: start) ? Fetch.Departure(start.wanted, setting: .choices(choices)) : nil
  }

  /// Whether nothing has been found, and no store is left to ask.
  func isMissing(after start: borrowing Start) -> Bool {
    if start.found != nil { return false }
    return switch start.rest {
    case .none: true
    case .onlyDisk: client.settings.configuration.disk == nil
    case .all: client.settings.hasNoStores
    }
  }

  /// Seeds, memory, disk, verification, expiry, stale, memory.
  private func local(after start: borrowing Start) -> Local {
    PersistSequence(
      base: lookups(after: start, refresh: refresh),
      store: memory,
      expiry: policy.expiry
    )
  }

  /// Seeds, memory, disk, verification, expiry, stale.
  func lookups(
    after start: borrowing Start,
    refresh: (@Sendable (FetchContext) -> Void)? = nil
  ) -> Lookups {
    let settings = client.settings
    let stores = LookupSequence(
      base: LookupSequence(
        base: LookupSequence(
          base: FetchStep(step: start.step),
          store: start.rest == .all ? settings.configuration.seeds : nil
        ),
        store: start.rest == .all ? settings.configuration.memory : nil
      ),
      store: start.rest != .none ? settings.configuration.disk : nil
    )
    let checked = CheckExpirySequence(
      base: VerifySequence(base: stores, digest: policy.expected),
      policy: policy.expiry,
      limits: policy.staleLimits,
      now: settings.configuration.now
    )
    return AnnounceStaleSequence(
      base: checked,
      announcement: policy.stale,
      refresh: refresh
    )
  }

  /// Validation, download, verification, disk, memory.
  private func remote(_ step: FetchStep) -> Remote {
    let tools = tools(over: network)
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
      store: disk,
      expiry: policy.expiry
    )
    return PersistSequence(base: onDisk, store: memory, expiry: policy.expiry)
  }

  func tools(
    over transport: (any Transport)?,
    scope: CallScope? = CallScope()
  ) -> ReceptionTools {
    ReceptionTools(
      transport: transport,
      spool: spool,
      resumptions: policy.resumptions,
      errorBodyLimit: choices.errorBodyLimit ?? RefusedResponse.bodyLimit,
      scope: scope,
      showsArrival: policy.showsArrival,
      // Whoever hosts it gets the result in the same breath.
      skipsLastProgress: host != nil && !policy.showsArrival,
      needsDigest: policy.expected != nil,
      now: client.settings.configuration.now
    )
  }

  /// Where what came is kept.
  var disk: DiskStore? {
    policy.persistence == .everywhere ? client.settings.configuration.disk : nil
  }

  var memory: MemoryStore? {
    policy.persistence == .nowhere ? nil : client.settings.configuration.memory
  }

  var network: (any Transport)? {
    guard policy.network != .forbidden else { return nil }
    return switch choices.route {
    case .client: client.resourceTransport(for: context.request)
    case .own(let transport): transport
    }
  }

  /// Where bodies arrive: what may not be kept on the disk is not begun there either.
  private var spool: Spool {
    let settings = client.settings
    var spool = Spool.temporary
    if let disk { spool = disk.spool }
    spool.threshold = settings.configuration.memoryThreshold
    return spool
  }
}

extension ResourceSequence: Worded, CustomStringConvertible {
  /// The chain that it is, one stage a line, as it would be written.
  ///
  /// Stages that the policy or the client leaves out are left out.
  public var description: String { words.description }

  package var words: PipelineWords { PipelineWords(stages(after: beginning)) }
}
