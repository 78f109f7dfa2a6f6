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
  ///   - expiry: The policy of ``checkExpiry(_:limits:now:)``: anything but ``ExpiryPolicy/http`` keeps
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
        return await promote(resource, to: store)
      default:
        return step
      }
    }

    /// Hands out what is in memory then, so that no hit keeps a file open.
    ///
    /// A copy whose file cannot be read is none: the stages that follow download it again.
    private func promote(_ resource: Resource, to store: Store) async -> Fetch {
      if let kept = try? await store.keep(resource.response) {
        return .resource(resource.with(kept))
      }
      guard resource.origin == .disk else { return .resource(resource) }
      return .wanted(
        Fetch.Wanted(
          context: resource.context,
          explanation: resource.explanation.adding(.missed(resource.origin))
        )
      )
    }

    private func isPromoted(_ resource: Resource, to store: Store) -> Bool {
      resource.isFinal && resource.origin != .memory && store.origin == .memory
        && resource.status != .partialContent
    }

    private func persist(
      _ downloaded: Fetch.Downloaded,
      in store: Store
    ) async -> Fetch.Downloaded {
      var downloaded = downloaded
      let response = downloaded.response
      if case .notStorable(let reason) = StoragePolicy.storability(
        of: response.head,
        for: downloaded.request,
        expiry: expiry
      ) {
        downloaded.explanation.add(.notStored(store.origin, because: reason.rawValue))
        return downloaded
      }
      do {
        downloaded.response = try await keep(response, downloaded.change, in: store)
        downloaded.explanation.add(.stored(store.origin))
        if let obsolete = downloaded.superseded, obsolete.varying != response.varying {
          // The origin chose otherwise for the same request: the former choice would come back.
          try? await store.remove(obsolete)
        }
      } catch {
        downloaded.explanation.add(.notStored(store.origin, because: error.description))
      }
      return downloaded
    }

    /// Keeps the response without the fields that are not stored (RFC 9111 section 3.1), and hands
    /// it back with them.
    private func keep(
      _ response: StoredResponse,
      _ change: Fetch.Change,
      in store: Store
    ) async throws(FreshetError) -> StoredResponse {
      let head = StoragePolicy.stored(response.head)
      let isWhole = head.headers.count == response.head.headers.count
      let storable = isWhole ? response : response.under(head)
      let kept =
        switch change {
        case .replaced: try await store.keep(storable)
        case .validated: try await store.refresh(storable)
        }
      return isWhole ? kept : kept.under(response.head)
    }
  }
}

@available(*, unavailable)
extension PersistSequence.Iterator: Sendable {}
