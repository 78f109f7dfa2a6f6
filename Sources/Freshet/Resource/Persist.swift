import Foundation

extension AsyncSequence where Self: Sendable, Element == Fetch, Failure == FreshetError {
  /// Keeps what was `downloaded` in a store, if its headers allow that (RFC 9111 section 3).
  ///
  /// - A validated copy gets its new headers; its body is not written again. One that is gone by then is
  ///   not written again either.
  /// - A response that must not be stored takes what was stored for the request with it.
  /// - What is newer than the stored copy and cannot take its place, and an answer that the resource is
  ///   gone (404 or 410), let that copy expire: it is asked for again, and is there for when the network
  ///   fails.
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
  let keeper: StoreKeeper<Store>?

  init(base: Base, store: Store?, expiry: ExpiryPolicy) {
    self.base = base
    keeper = store.map { StoreKeeper(store: $0, expiry: expiry) }
  }

  func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator(), keeper: keeper)
  }
}

// MARK: - Iterator

extension PersistSequence {
  struct Iterator: AsyncIteratorProtocol {
    var base: Base.AsyncIterator
    let keeper: StoreKeeper<Store>?

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> Fetch? {
      guard let keeper else { return try await base.next(isolation: actor) }
      // What is removed from here on is not to come back from a slower store.
      let began = EventInstant.now
      let step: Fetch?
      do throws(FreshetError) {
        step = try await base.next(isolation: actor)
      } catch {
        await keeper.learn(from: error)
        throw error
      }
      guard let step else { return nil }
      return try await keeper.kept(step, since: began)
    }
  }
}

@available(*, unavailable)
extension PersistSequence.Iterator: Sendable {}

// MARK: - Description

extension PersistSequence: PipelineStage {
  var stageDescription: String {
    guard let keeper else { return "" }
    let expiry = Wording.unless(.http, keeper.expiry) { "expiry: \($0.wording)" }
    return ".persist" + Wording.parameters("in: \(keeper.store.origin.rawValue)", expiry)
  }
}
