extension AsyncSequence where Self: Sendable, Element == Fetch, Failure == FreshetError {
  /// Keeps what was `downloaded` in a store, if its headers allow that (RFC 9111 section 3).
  ///
  /// - A validated copy gets its new headers; its body is not written again. One that is gone by then is
  ///   not written again either.
  /// - A response that must not be stored takes what was stored for the request with it.
  /// - What comes late is not kept: see ``ResourceStore/keep(_:)``.
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
    /// A copy whose file cannot be read is none: the stages that follow download it again. One that the
    /// store has something newer than is an answer all the same.
    private func promote(_ resource: Resource, to store: Store) async -> Fetch {
      do throws(FreshetError) {
        return .resource(resource.with(try await store.keep(resource.response)))
      } catch {
        guard resource.origin == .disk, error != Late.older.error else {
          return .resource(resource)
        }
      }
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
      if let reason = objection(to: downloaded) {
        downloaded.explanation.add(.notStored(store.origin, because: reason))
        if StoragePolicy.forbidsStoring(response.head) { await forget(downloaded, in: store) }
        return downloaded
      }
      do {
        let rival = await rival(of: downloaded, in: store)
        downloaded.response = try await keep(downloaded, in: store)
        downloaded.explanation.add(.stored(store.origin))
        if let rival {
          // The origin chose otherwise for the same request: the former choice would come back.
          try? await store.remove(rival)
        }
      } catch {
        downloaded.explanation.add(.notStored(store.origin, because: error.description))
      }
      return downloaded
    }

    /// Why the response is not stored, if it is not.
    private func objection(to downloaded: Fetch.Downloaded) -> String? {
      var request = downloaded.request
      // A HEAD that has validated a copy brings that copy's GET up to date (section 4.3.4).
      if downloaded.isValidated, request.method == .head { request.method = .get }
      let response = downloaded.response
      let storability = StoragePolicy.storability(of: response.head, for: request, expiry: expiry)
      if case .notStorable(let reason) = storability { return reason.rawValue }
      let names = downloaded.context.unknownFields(of: response)
      return names.isEmpty
        ? nil : "it was sent with fields that no lookup knows of: \(names.joined(separator: ", "))"
    }

    /// Removes what the store has for the request, older than a response that must not be stored.
    private func forget(_ downloaded: Fetch.Downloaded, in store: Store) async {
      var old = downloaded.superseded
      if old == nil {
        old = await store.find(downloaded.context.key, for: downloaded.context.headers)
      }
      if let old, !old.outranks(downloaded.response) { try? await store.remove(old) }
    }

    /// The stored response that would answer the same request beside the new one, under other varying
    /// fields.
    private func rival(
      of downloaded: Fetch.Downloaded,
      in store: Store
    ) async -> StoredResponse? {
      var old = downloaded.superseded
      let hasLooked = downloaded.explanation.contains {
        $0 == .missed(store.origin) || $0 == .hit(store.origin)
      }
      if !hasLooked {
        old = await store.find(downloaded.context.key, for: downloaded.context.headers) ?? old
      }
      guard let old, old.varying != downloaded.response.varying,
        !old.outranks(downloaded.response)
      else { return nil }
      return old
    }

    /// Keeps the response without the fields that are not stored (RFC 9111 section 3.1), and hands
    /// it back with them.
    private func keep(
      _ downloaded: Fetch.Downloaded,
      in store: Store
    ) async throws(FreshetError) -> StoredResponse {
      let response = downloaded.response
      let head = StoragePolicy.stored(response.head)
      let isWhole = head.headers.count == response.head.headers.count
      let storable = isWhole ? response : response.under(head)
      let kept = try await keep(storable, downloaded, in: store)
      return isWhole ? kept : kept.under(response.head)
    }

    private func keep(
      _ response: StoredResponse,
      _ downloaded: Fetch.Downloaded,
      in store: Store
    ) async throws(FreshetError) -> StoredResponse {
      guard case .validated(let origin) = downloaded.change,
        response.varying == downloaded.superseded?.varying
      else { return try await store.keep(response) }
      do throws(FreshetError) {
        return try await store.refresh(response)
      } catch .store(Late.removed.rawValue) where origin != store.origin {
        // The copy came from elsewhere, a seed or the memory, and was confirmed there.
        return try await store.keep(response)
      }
    }
  }
}

extension Fetch.Downloaded {
  fileprivate var isValidated: Bool {
    if case .validated = change { true } else { false }
  }
}

@available(*, unavailable)
extension PersistSequence.Iterator: Sendable {}

// MARK: - Description

extension PersistSequence: PipelineStage {
  var stageDescription: String {
    guard let store else { return "" }
    let expiry = Wording.unless(.http, expiry) { "expiry: \($0.wording)" }
    return ".persist" + Wording.parameters("in: \(store.origin.rawValue)", expiry)
  }
}
