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
      guard case .wanted(var wanted) = step, let store else { return step }
      let context = wanted.context
      guard let response = await store.find(context.key, for: context.request.headers) else {
        wanted.explanation.add(.missed(store.origin))
        return .wanted(wanted)
      }
      wanted.explanation.add(.hit(store.origin))
      return .found(
        Fetch.Found(
          context: context,
          response: response,
          origin: store.origin,
          explanation: wanted.explanation
        )
      )
    }
  }
}

@available(*, unavailable)
extension LookupSequence.Iterator: Sendable {}
