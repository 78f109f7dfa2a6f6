public import Freshet

extension AsyncSequence where Self: Sendable, Failure: PipelineFailure {
  /// Saves a list that arrives in the place of what a query finds, and delivers it as it is stored
  /// then.
  ///
  /// - A response that is the whole list replaces what the query finds before it is delivered, in one
  ///   transaction, see ``ModelStore/replace(_:with:)``.
  /// - Of a list that comes in several pages, each is saved before it is delivered, beside what is
  ///   stored. What none of them has goes after the last one, and the order of the list is set, in one
  ///   transaction.
  /// - A list that is not read to its end, because of an error or of its reader, replaces nothing.
  /// - A cached copy that is stale, or replaces a failed response, is saved and replaces nothing.
  /// - A response without a list fails with ``/Freshet/FreshetError/store(_:)``.
  ///
  /// ```swift
  /// let tweets = client.pages(Timeline(), next: .link)
  ///   .persist(in: models, replacing: ModelQuery(Tweet.self))
  /// ```
  ///
  /// - Parameters:
  ///   - store: The store of the models.
  ///   - query: Which models the list replaces; it finds those of this list, and no others.
  /// - Returns: The same events, with what was read back in place of what arrived.
  public func persist<Body: Persistable, Model: PersistableModel>(
    in store: ModelStore,
    replacing query: ModelQuery<Model>
  ) -> some AsyncSequence<Event<Response<Body>>, Failure> & Sendable
  where Element == Event<Response<Body>> {
    PersistReplacingSequence(base: self, store: store, query: query)
  }
}

// MARK: - Sequence

struct PersistReplacingSequence<
  Base: AsyncSequence & Sendable,
  Body: Persistable,
  Model: PersistableModel
>: AsyncSequence, Sendable
where Base.Element == Event<Response<Body>>, Base.Failure: PipelineFailure {
  let base: Base
  let store: ModelStore
  let query: ModelQuery<Model>

  func makeAsyncIterator() -> Iterator {
    Iterator(
      base: base.makeAsyncIterator(),
      store: store,
      replacement: ModelReplacement(query)
    )
  }
}

// MARK: - Iterator

extension PersistReplacingSequence {
  struct Iterator: AsyncIteratorProtocol {
    var base: Base.AsyncIterator
    let store: ModelStore
    /// The part of the list that has arrived.
    var replacement: ModelReplacement<Model>
    /// A Boolean value that indicates whether a page was saved that has replaced nothing yet.
    var isOpen = false
    /// A Boolean value that indicates whether an old copy took the place of a part of the list.
    var hasStandIn = false
    var isOver = false

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(Base.Failure) -> Event<Response<Body>>? {
      guard !isOver else { return nil }
      // A list that did not arrive whole replaces nothing.
      isOver = true
      var event = try await base.next(isolation: actor)
      do throws(FreshetError) {
        if case .value(var response) = event {
          response.value = try await stored(response)
          event = .value(response)
        } else if event == nil {
          try await close()
        }
      } catch {
        throw Base.Failure(error)
      }
      isOver = event == nil
      return event
    }

    private mutating func stored(_ response: Response<Body>) async throws(FreshetError) -> Body {
      guard response.standsForItself else {
        if response.resource?.replacedFailure != nil { hasStandIn = true }
        return try await response.value.persisted(in: store)
      }
      let gathering = ModelGathering(store)
      _ = try await response.value.persisted(in: gathering)
      for part in gathering.parts { replacement.add(part) }
      if response.isComplete { try replacement.requireList() }
      isOpen = !response.isComplete
      let replaces = !isOpen && !hasStandIn
      let written = try await store.write(gathering, replaces ? replacement : nil)
      return try await response.value.persisted(in: written)
    }

    private mutating func close() async throws(FreshetError) {
      guard isOpen, !hasStandIn else { return }
      isOpen = false
      try replacement.requireList()
      try await store.write(nil, replacement)
    }
  }
}

@available(*, unavailable)
extension PersistReplacingSequence.Iterator: Sendable {}

extension ModelStore {
  /// Writes what was gathered, and has it replace what a query finds.
  @discardableResult
  func write<Model: PersistableModel>(
    _ gathering: ModelGathering?,
    _ replacement: ModelReplacement<Model>?
  ) async throws(FreshetError) -> StoredModels {
    try await writer.perform { transaction throws(FreshetError) in
      let save = { (transaction: ModelTransaction) throws(FreshetError) in
        try gathering?.write(transaction) ?? StoredModels([])
      }
      guard let replacement else { return try save(transaction) }
      return try transaction.replace(replacement, saving: save)
    }
  }
}

extension Persistable {
  /// The value with what is stored now.
  func persisted(in store: some ModelStoring) async throws(FreshetError) -> Self {
    let stored = try await Self.persist([self], in: store)
    try checkCount(stored.count, of: 1)
    return stored[0]
  }
}

// MARK: - Description

extension PersistReplacingSequence: PipelineStage {
  var stageDescription: String { ".persist(in: models, replacing: \(query))" }
}
