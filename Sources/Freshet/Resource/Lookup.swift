extension AsyncSequence where Self: Sendable, Element == Fetch, Failure == FreshetError {
  /// Looks for a stored copy: turns `wanted` into `found`, or leaves it as it is.
  ///
  /// Stores are asked in the order of the chain, and the first copy wins. A seed is only a candidate:
  /// the stores after it are asked as well, and their copy wins unless the seed is newer, both by the
  /// server's `Date` and by when it was received, and none if a store remembers that something has
  /// changed at the origin since. Freshness is not looked at here, see
  /// ``checkExpiry(_:limits:now:)``. A store that fails is a miss.
  ///
  /// - Parameter store: Where to look.
  /// - Returns: The steps, with `found` in place of `wanted` where there is a copy.
  public func lookup(
    in store: some ResourceSource
  ) -> some AsyncSequence<Fetch, FreshetError> & Sendable {
    LookupSequence(base: self, store: store)
  }
}

// MARK: - Sequence

/// Without a store, it forwards everything.
struct LookupSequence<Base: AsyncSequence & Sendable, Store: ResourceSource>: AsyncSequence,
  Sendable
where Base.Element == Fetch, Base.Failure == FreshetError {
  let base: Base
  let store: Store?

  func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator(), store: store)
  }
}

// MARK: - Iterator

extension LookupSequence {
  struct Iterator: AsyncIteratorProtocol {
    var base: Base.AsyncIterator
    let store: Store?

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> Fetch? {
      let step = try await base.next(isolation: actor)
      guard let store else { return step }
      switch step {
      case .wanted(let wanted):
        return await look(for: wanted, in: store)
      case .found(let seed) where seed.origin == .seed && store.origin != .seed:
        return await newer(than: seed, in: store)
      default:
        return step
      }
    }

    private func look(for wanted: Fetch.Wanted, in store: Store) async -> Fetch {
      let context = wanted.context
      let response = await store.find(context.key, for: context.headers)
      return wanted.lookedUp(response, in: store.origin)
    }

    private func newer(than seed: Fetch.Found, in store: Store) async -> Fetch {
      let context = seed.context
      let stored = await store.find(context.key, for: context.headers)
      guard let stored, !seed.response.isNewer(than: stored) else {
        let seed = seed.adding(.missed(store.origin))
        guard let time = await store.invalidationTime(of: context.key),
          time > seed.response.responseTime
        else { return .found(seed) }
        return .wanted(Fetch.Wanted(context, explanation: seed.explanation))
      }
      return .found(
        Fetch.Found(
          context: context,
          response: stored,
          origin: store.origin,
          explanation: seed.explanation.adding(.hit(store.origin))
        )
      )
    }
  }
}

extension Fetch.Wanted {
  /// The step after a store has been asked.
  func lookedUp(_ response: StoredResponse?, in origin: Resource.Origin) -> Fetch {
    guard let response else { return .wanted(missed(in: origin)) }
    return .found(found(response, in: origin))
  }

  /// The same, which a store did not have.
  consuming func missed(in origin: Resource.Origin) -> Fetch.Wanted {
    explanation.add(.missed(origin))
    return self
  }

  /// The copy that a store had.
  func found(_ response: StoredResponse, in origin: Resource.Origin) -> Fetch.Found {
    Fetch.Found(
      context: context,
      response: response,
      origin: origin,
      explanation: explanation.adding(.hit(origin))
    )
  }
}

extension Fetch.Found {
  fileprivate func adding(_ decision: Decision) -> Fetch.Found {
    var found = self
    found.explanation.add(decision)
    return found
  }
}

@available(*, unavailable)
extension LookupSequence.Iterator: Sendable {}

// MARK: - Description

extension LookupSequence: PipelineStage {
  var stageDescription: String { store.map { ".lookup(in: \($0.origin.rawValue))" } ?? "" }
}
