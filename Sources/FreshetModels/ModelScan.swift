public import Freshet

/// The models that a query finds, one after the other; see ``ModelStore/scan(_:)``.
///
/// - Cold: each iterator scans again, and sees the store as it was at its first model, whatever is
///   written in the meantime.
/// - It holds one model at a time, and some nested ones, however many there are. For a store in
///   memory it holds all models that are found.
/// - It fails with ``/Freshet/FreshetError/store(_:)`` when a model cannot be read, and with
///   ``/Freshet/FreshetError/cancelled`` when its task is cancelled.
/// - During the scan the database's log grows with each write: do not suspend it for long.
public struct ModelScan<Model: PersistableModel>: AsyncSequence, Sendable {
  let store: ModelStore
  let query: ModelQuery<Model>

  /// Begins a scan; nothing is read before the first model is requested.
  public func makeAsyncIterator() -> Iterator {
    Iterator(store: store, query: query)
  }

  /// Reads one model after the other.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let store: ModelStore
    fileprivate let query: ModelQuery<Model>
    fileprivate var cursor: ModelCursor<Model>?
    fileprivate var hasEnded = false

    /// Reads the next model; `nil` after the last one.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> Model? {
      if hasEnded { return nil }
      if Task.isCancelled {
        (cursor, hasEnded) = (nil, true)
        throw .cancelled
      }
      do throws(ReadingFailure) {
        if let model = try await found() { return model }
      } catch {
        (cursor, hasEnded) = (nil, true)
        // A scan cannot continue in another database; the next one finds a sound one.
        _ = try await store.isWorthAnotherTry(error)
        throw error.error
      }
      hasEnded = true
      cursor = nil
      return nil
    }

    private mutating func found() async throws(ReadingFailure) -> Model? {
      if cursor == nil {
        // The columns are made current by a reading of its own.
        try await store.other { () async throws(FreshetError) in
          try await store.read(Model.self, .byFields) { _ throws(FreshetError) in }
        }
        cursor = try ModelCursor(store.core, query)
      }
      return try cursor?.next()
    }
  }
}

@available(*, unavailable)
extension ModelScan.Iterator: Sendable {}

extension ModelStore {
  /// Reads all models that a query finds without holding all of them in memory.
  ///
  /// ```swift
  /// for try await tweet in models.scan(ModelQuery(Tweet.self)) { export(tweet) }
  /// ```
  ///
  /// - Parameter query: The query.
  /// - Returns: A cold sequence of models.
  public func scan<Model: PersistableModel>(_ query: ModelQuery<Model>) -> ModelScan<Model> {
    ModelScan(store: self, query: query)
  }
}

extension ModelScan: PipelineDescribable, CustomStringConvertible {
  /// The query, without the values that it compares with.
  package var words: PipelineDescription { PipelineDescription("models", ".scan(\(query))") }
}
