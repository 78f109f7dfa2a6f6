import FreshetEssentials
import Synchronization

/// The stages of a client's chains, made once for each policy.
final class ClientStages: Sendable {
  /// The client's stores.
  let stores: [any ResourceStore]
  private let configuration: Client.Configuration
  private let stack: TransportStack
  private let transport: any Transport
  private let refreshes: Refreshes?
  private let lifecycle: ClientLifecycle
  private let usualOptions: FetchOptions
  private let usual = LazyReference<StageList>()
  private let others = Mutex<[FetchOptions: StageList]>([:])

  /// The largest number of policies whose stages are cached.
  private static let maximumOthers = 64

  init(
    _ configuration: Client.Configuration,
    over stack: TransportStack,
    refreshingIn refreshes: Refreshes?,
    of lifecycle: ClientLifecycle
  ) {
    self.configuration = configuration
    stores = configuration.stores(.everywhere)
    self.stack = stack
    transport = stack.transport(isOfFetch: true)
    self.refreshes = refreshes
    self.lifecycle = lifecycle
    usualOptions = FetchOptions(policy: configuration.policy)
  }

  /// Returns the stages of fetches with a policy; with the client's for `nil`.
  func list(for policy: ResourcePolicy?) -> StageList {
    guard let policy else { return usual.load() ?? usual.storeIfNil(make(usualOptions)) }
    return list(for: FetchOptions(policy: policy))
  }

  /// Returns the stages of fetches with these options.
  func list(for options: FetchOptions) -> StageList {
    if options == usualOptions { return list(for: nil) }
    // The closure may be a new one in each call.
    guard options.retry?.decide == nil else { return make(options) }
    if let stages = others.withLock({ $0[options] }) { return stages }
    let made = make(options)
    return others.withLock { others in
      if let stages = others[options] { return stages }
      if others.count >= Self.maximumOthers { others = [:] }
      others[options] = made
      return made
    }
  }

  /// Makes the stages, in their order.
  ///
  /// Those after ``Coalesce`` run once for all fetches of the same resource. A fetch with a
  /// transport of its own is not coalesced.
  func make(_ options: FetchOptions, over own: (any Transport)? = nil) -> StageList {
    let coalescer = own == nil ? configuration.coalescer : nil
    let disk = options.policy.persistence == .everywhere ? configuration.disk : nil
    return make(
      options,
      over: own,
      coalescer.map { Coalesce(in: $0, .options(options)) },
      receiving(options, in: disk)
    )
  }

  /// Makes the stages of a download to a file, which stores nothing.
  ///
  /// - Parameters:
  ///   - target: The file, or its directory.
  ///   - options: The options of the fetch.
  ///   - folder: The folder for the arriving body; `nil` for the system's temporary folder.
  /// - Returns: The stages.
  func make(
    _ target: DownloadTarget,
    _ options: FetchOptions,
    arrivingIn folder: ArrivalFolder?
  ) -> StageList {
    make(
      options,
      over: nil,
      configuration.coalescer.map { Coalesce(in: $0, .download(target, options)) },
      receiving(options, arrivingIn: folder)
    )
  }

  private func make(
    _ options: FetchOptions,
    over own: (any Transport)?,
    _ coalesce: Coalesce?,
    _ receiving: ReceivingOptions
  ) -> StageList {
    let policy = options.policy
    let transport =
      own ?? options.retry.map { stack.transport(retry: $0, isOfFetch: true) } ?? transport
    let memory = policy.persistence == .nowhere ? nil : configuration.memory
    var stages: [any FetchStage] = []
    if policy.network != .required {
      if policy.seeds == .allowed, let seeds = configuration.seeds {
        stages.append(Lookup(in: seeds))
      }
      if let memory = configuration.memory { stages.append(Lookup(in: memory)) }
      if policy.seeds == .ignored, let seeds = configuration.seeds {
        stages.append(RefuseSeeds(seeds: seeds))
      }
      if let disk = configuration.disk { stages.append(Lookup(in: disk)) }
      if let shared = configuration.shared { stages.append(Lookup(in: shared)) }
    }
    if let digest = policy.expected { stages.append(Verify(digest)) }
    if policy.contentTypes != .any { stages.append(RefuseOtherTypes(types: policy.contentTypes)) }
    stages.append(
      CheckExpiry(policy.expiry, limits: policy.staleLimits, now: configuration.now)
    )
    if policy.stale != .withheld {
      let refreshes = policy.network == .forbidden ? nil : refreshes
      stages.append(AnnounceStale(policy.stale, refreshes: refreshes))
    }
    if let memory { stages.append(Persist(in: memory, expiry: policy.expiry)) }
    if policy.network != .forbidden {
      if let coalesce { stages.append(coalesce) }
      if policy.persistence == .everywhere, own == nil, let shared = configuration.shared {
        stages += shared.networkStages(after: stages)
      }
      stages.append(Revalidate(policy.revalidation, over: transport, receiving))
      stages.append(Download(over: transport, receiving))
    }
    if let digest = policy.expected { stages.append(Verify(digest)) }
    for store in configuration.stores(policy.persistence) {
      stages.append(Persist(in: store, expiry: policy.expiry))
    }
    return StageList(stages, over: own ?? configuration.askedTransport, of: lifecycle)
      .edited(configuration.editChain)
  }

  /// Returns the options of receiving; bodies that may not be stored on disk are not spooled there either.
  private func receiving(
    _ options: FetchOptions,
    in disk: DiskStore? = nil,
    arrivingIn folder: ArrivalFolder? = nil
  ) -> ReceivingOptions {
    let threshold = configuration.memoryThreshold
    let arriving = folder?.spool ?? .temporary
    var announced: (@Sendable (Int64, URL) -> Void)?
    if let disk { announced = { length, url in disk.announce(length, of: url) } }
    return ReceivingOptions(
      spool: {
        var spool = disk?.spool ?? arriving
        spool.threshold = threshold
        return spool
      },
      resumptions: options.policy.resumptions,
      errorBodyLimit: options.errorBodyLimit,
      showsArrival: options.policy.showsArrival,
      isForFile: folder != nil,
      needsDigest: options.policy.expected != nil,
      contentTypes: options.policy.contentTypes,
      usesStoredParts: options.policy.network != .required,
      announced: announced,
      now: configuration.now
    )
  }
}

extension Client.Configuration {
  /// Returns the stores in which a downloaded response is stored, in their order.
  package func stores(_ persistence: ResourcePolicy.Persistence) -> [any ResourceStore] {
    var stores: [any ResourceStore] = []
    if persistence == .everywhere, let disk { stores.append(disk) }
    if persistence == .everywhere, let shared { stores.append(shared) }
    if persistence != .nowhere, let memory { stores.append(memory) }
    return stores
  }
}

extension StageList {
  /// Returns the stages after a client's edit.
  fileprivate func edited(_ edit: (@Sendable (FetchChain) -> FetchChain)?) -> StageList {
    guard let edit else { return self }
    return edit(FetchChain(.none, self)).stages
  }
}
