extension AsyncSequence where Self: Sendable, Element == Fetch, Failure == FreshetError {
  /// Keeps what was `downloaded` in a store, if its headers allow that (RFC 9111 section 3).
  ///
  /// - A validated copy gets its new headers; its body is not written again.
  /// - A memory store also keeps what came from a slower store.
  /// - Failing to keep something costs persistence, never the answer: the reason is a line of the
  ///   explanation.
  /// - The step is forwarded once the store has acknowledged.
  ///
  /// - Parameters:
  ///   - store: Where to keep it.
  ///   - expiry: The policy of ``checkExpiry(_:now:)``: anything but ``ExpiryPolicy/http`` keeps
  ///     responses without a lifetime too.
  /// - Returns: The same steps.
  public func persist(
    in store: some ResourceStore,
    expiry: ExpiryPolicy = .http
  ) -> some AsyncSequence<Fetch, FreshetError> & Sendable {
    PersistSequence(base: self, store: store, expiry: expiry)
  }
}

// MARK: - Sequence

/// Without a store, it forwards everything.
struct PersistSequence<Base: AsyncSequence & Sendable, Store: ResourceStore>: AsyncSequence,
  Sendable
where Base.Element == Fetch, Base.Failure == FreshetError {
  let base: Base
  let store: Store?
  let expiry: ExpiryPolicy

  func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator(), store: store, expiry: expiry)
  }
}

// MARK: - Iterator

extension PersistSequence {
  struct Iterator: AsyncIteratorProtocol {
    var base: Base.AsyncIterator
    let store: Store?
    let expiry: ExpiryPolicy

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> Fetch? {
      let step = try await base.next(isolation: actor)
      guard let store else { return step }
      switch step {
      case .downloaded(let downloaded):
        return .downloaded(await persist(downloaded, in: store))
      case .resource(let resource) where isPromoted(resource, to: store):
        _ = try? await store.keep(resource.response)
        return step
      default:
        return step
      }
    }

    private func isPromoted(_ resource: Resource, to store: Store) -> Bool {
      resource.isFinal && resource.origin != .memory && store.origin == .memory
    }

    private func persist(
      _ downloaded: Fetch.Downloaded,
      in store: Store
    ) async -> Fetch.Downloaded {
      var downloaded = downloaded
      let response = downloaded.response
      if case .notStorable(let reason) = StoragePolicy.decide(
        downloaded.request,
        response.head,
        expiry: expiry
      ) {
        downloaded.explanation.add(.notStored(store.origin, because: reason.description))
        return downloaded
      }
      do {
        switch downloaded.change {
        case .replaced: downloaded.response = try await store.keep(response)
        case .validated: downloaded.response = try await store.refresh(response)
        }
        downloaded.explanation.add(.stored(store.origin))
      } catch {
        downloaded.explanation.add(.notStored(store.origin, because: error.description))
      }
      return downloaded
    }
  }
}

@available(*, unavailable)
extension PersistSequence.Iterator: Sendable {}
