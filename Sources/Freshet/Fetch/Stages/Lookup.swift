extension AsyncSequence where Self: Sendable, Element == Fetch, Failure == FreshetError {
  /// Looks for a stored copy: turns `wanted` into `found`, or passes it unchanged.
  ///
  /// - Stores are queried in the order of the chain, and the first copy is used.
  /// - A seed is only a candidate: the stores after it are queried as well. Their copy is used unless
  ///   the seed is newer, both by the server's `Date` and by the time it was received; neither is used
  ///   if a store has recorded a later change at the origin.
  /// - An error is only used while it is fresh: if its store has no copy of the resource beside it, the
  ///   stores after it are queried for one.
  /// - Freshness is decided later, see ``checkExpiry(_:limits:now:)``.
  /// - A store that fails counts as a miss.
  ///
  /// - Parameter store: The store to query.
  /// - Returns: The chain with this stage.
  public func lookup(in store: some ResourceSource) -> FetchChain {
    appending(Lookup(in: store))
  }
}

/// Looks for a stored copy, see ``_Concurrency/AsyncSequence/lookup(in:)``.
public struct Lookup: FetchStage {
  let store: any ResourceSource
  private let source: Resource.Source

  /// Creates the stage for a store.
  public init(in store: some ResourceSource) {
    self.store = store
    source = store.source
  }

  /// The name of the stage.
  public var name: StageName { .lookup(in: source) }
  /// The kinds of steps that the stage handles.
  public var handles: Fetch.Kinds { source == .seed ? .wanted : [.wanted, .found] }

  /// Replies to a step without waiting.
  public func replyNow(to step: Fetch) -> Fetch.Reply? {
    switch step {
    case .wanted(let wanted):
      let context = wanted.context
      return switch store.findNow(context.key, for: context.headers) {
      case .copy(let copy): .step(.found(wanted.found(copy, in: source)))
      case .missing: .step(.wanted(wanted.missed(in: source)))
      case .later: nil
      }
    case .found(let found) where found.source == .seed || lacksCopy(found) || isOfRange(found):
      return nil
    default:
      return .pass
    }
  }

  /// Replies to a step.
  public func reply(to step: Fetch) async -> Fetch.Reply {
    switch step {
    case .wanted(let wanted): .step(await look(for: wanted))
    case .found(let seed) where seed.source == .seed: .step(await newer(than: seed))
    case .found(let error) where lacksCopy(error): .step(await withCopy(error))
    case .found(let whole) where isOfRange(whole): .step(await withPart(whole))
    default: .pass
    }
  }

  /// The stage as it would be written in code.
  public var stageDescription: String { ".lookup(in: \(source.rawValue))" }
}

extension Lookup {
  private func look(for wanted: Fetch.Wanted) async -> Fetch {
    let context = wanted.context
    let result = await store.lookUp(context.key, for: context.headers, likely: context.request.url)
    var copy: StoredResponse?
    if case .copy(let found) = result { copy = found }
    guard let copy = await part(for: context, newerThan: copy) ?? copy else {
      if case .failed(let failure) = result { return .wanted(wanted.failed(failure, in: source)) }
      return .wanted(wanted.missed(in: source))
    }
    // Whoever keeps it need not ask here again.
    let isAlone = copy.isRefusal && copy.beside == nil
    return .found(wanted.found(isAlone ? copy.without(copiesIn: [source]) : copy, in: source))
  }

  /// The range that the request asks for, of a whole that the store has only parts of; `nil` if the copy is not older.
  private func part(
    for context: FetchContext,
    newerThan copy: StoredResponse?
  ) async -> StoredResponse? {
    guard context.request.headers.contains(.range),
      let part = await store.findPart(of: context.request, context.key, for: context.headers),
      copy.map({ isLater(part, than: $0) }) ?? true
    else { return nil }
    return part
  }

  /// Returns whether a part was received later than a copy, and is not older by the server's clock.
  private func isLater(_ part: StoredResponse, than copy: StoredResponse) -> Bool {
    part.responseTime > copy.responseTime && part.record.date >= copy.record.date
  }

  private func newer(than seed: Fetch.Found) async -> Fetch {
    let context = seed.context
    let stored = await store.find(context.key, for: context.headers)
    guard let stored, !seed.response.isNewer(than: stored) else {
      let seed = seed.adding(.missed(source))
      guard let time = await store.invalidationTime(of: context.key),
        time > seed.response.responseTime
      else { return .found(seed) }
      return .wanted(Fetch.Wanted(context, explanation: seed.explanation))
    }
    // The seed is placed beside an error, unless the store has a copy of its own.
    let beside = StoredResponse.Beside(response: seed.response, source: .seed)
    let isAlone = stored.isRefusal && stored.beside == nil
    return .found(seed.replaced(by: isAlone ? stored.with(beside: beside) : stored, in: source))
  }

  /// Returns whether an earlier store has an error, and no store a copy of the resource to put beside it.
  private func lacksCopy(_ found: Fetch.Found) -> Bool {
    // A seed is only a candidate.
    found.response.isRefusal && found.response.beside?.source ?? .seed == .seed
      && found.source != source && !found.response.copyless.contains(source)
  }

  /// Returns whether an earlier store has the complete body of the requested range.
  private func isOfRange(_ found: Fetch.Found) -> Bool {
    found.source != source && found.request.headers.contains(.range)
      && found.response.head.status == .ok
  }

  /// The part that this store has, if it is newer than an earlier store's whole.
  private func withPart(_ whole: Fetch.Found) async -> Fetch {
    let part = await part(for: whole.context, newerThan: whole.response)
    return .found(part.map { whole.replaced(by: $0, in: source) } ?? whole)
  }

  /// Returns the error with this store's copy beside it, or that copy if it is newer.
  private func withCopy(_ error: Fetch.Found) async -> Fetch {
    let context = error.context
    guard let stored = await store.find(context.key, for: context.headers),
      let copy = stored.copyOfResource
    else { return .found(error) }
    guard !copy.isNewer(than: error.response) else {
      return .found(error.replaced(by: copy, in: source))
    }
    if let seed = error.response.beside?.response, seed.isNewer(than: copy) {
      return .found(error)
    }
    var error = error
    let beside = StoredResponse.Beside(response: copy, source: source)
    error.response = error.response.with(beside: beside)
    return .found(error)
  }
}

extension Fetch.Wanted {
  /// Returns the step after a miss in a store.
  fileprivate consuming func missed(in source: Resource.Source) -> Fetch.Wanted {
    explanation.add(.missed(source))
    return self
  }

  /// Returns the step after a store could not be asked.
  fileprivate consuming func failed(
    _ failure: StoreFailure,
    in source: Resource.Source
  ) -> Fetch.Wanted {
    explanation.add(.unavailable(source, because: failure.description))
    return self
  }

  /// Returns the step for a store's copy.
  func found(_ response: StoredResponse, in source: Resource.Source) -> Fetch.Found {
    Fetch.Found(
      context: context,
      response: response,
      source: source,
      explanation: explanation.adding(.hit(source))
    )
  }
}

extension Fetch.Found {
  /// Returns the step for the copy of a later store.
  fileprivate func replaced(
    by response: StoredResponse,
    in source: Resource.Source
  ) -> Fetch.Found {
    var found = adding(.hit(source))
    (found.response, found.source) = (response, source)
    return found
  }
}
