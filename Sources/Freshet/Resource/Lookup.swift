extension AsyncSequence where Self: Sendable, Element == Fetch, Failure == FreshetError {
  /// Looks for a stored copy: turns `wanted` into `found`, or leaves it as it is.
  ///
  /// Stores are asked in the order of the chain, and the first copy wins. Freshness is not looked
  /// at here, see ``checkExpiry(_:now:)``. A store that fails is a miss.
  ///
  /// - Parameter store: Where to look.
  /// - Returns: The steps, with `found` in place of `wanted` where there is a copy.
  public func lookup(
    in store: some ResourceStore
  ) -> some AsyncSequence<Fetch, FreshetError> & Sendable {
    LookupSequence(base: self, store: store)
  }
}

// MARK: - Decision

extension Fetch.Wanted {
  /// The step after a store has been asked.
  func lookedUp(_ response: StoredResponse?, in origin: Resource.Origin) -> Fetch {
    guard let response else {
      var wanted = self
      wanted.explanation.add(.missed(origin))
      return .wanted(wanted)
    }
    return .found(
      Fetch.Found(
        context: context,
        response: response,
        origin: origin,
        explanation: explanation.adding(.hit(origin))
      )
    )
  }
}

// MARK: - Sequence

/// Without a store, it forwards everything.
struct LookupSequence<Base: AsyncSequence & Sendable, Store: ResourceStore>: AsyncSequence, Sendable
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
      guard case .wanted(let wanted) = step, let store else { return step }
      let context = wanted.context
      let response = await store.find(context.key, for: context.request.headers)
      return wanted.lookedUp(response, in: store.origin)
    }
  }
}

@available(*, unavailable)
extension LookupSequence.Iterator: Sendable {}
