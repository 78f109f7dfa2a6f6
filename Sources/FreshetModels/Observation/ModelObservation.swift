public import Freshet

/// The stored value, now and after each change; see ``ModelStore/observe(_:id:)``.
///
/// - Cold: each iterator has its own observation, and ends it with its last reference.
/// - The current value is delivered first, then each change, made by any task or process.
/// - A slow reader gets the newest state; intermediate ones are dropped.
/// - A value that is equal to the previous one is omitted; so are changes that are rolled back.
/// - It ends when the store is closed. It fails with ``/Freshet/FreshetError/store(_:)`` when the
///   store cannot be read, and with ``/Freshet/FreshetError/cancelled`` when its task is cancelled.
public struct ModelObservation<Value: Sendable>: AsyncSequence, Sendable {
  let store: ModelStore
  let reader: ModelObservationReader<Value>

  /// Starts an observation; nothing is read before the first value is requested.
  public func makeAsyncIterator() -> Iterator {
    Iterator(state: ModelObservationState(store: store, reader: reader))
  }

  /// Reads the stored value, and waits for changes.
  public struct Iterator: AsyncIteratorProtocol {
    let state: ModelObservationState<Value>

    /// Waits for the next value; `nil` when the store is closed.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> Value? {
      try await state.next()
    }
  }
}

@available(*, unavailable)
extension ModelObservation.Iterator: Sendable {}

/// The way in which a value is read.
struct ModelObservationReader<Value: Sendable>: Sendable {
  typealias Read = @Sendable (ModelReading, ReadingContext) throws(FreshetError) -> Value

  /// A Boolean value that indicates whether it reads one model, and therefore runs on the caller's thread.
  let isShort: Bool
  /// Returns the observed value's description.
  let wording: @Sendable () -> String
  /// The models on which it depends, besides those that it reads.
  let interest: ModelInterest
  /// The type of the model; `nil` if none is read.
  let type: (any PersistableModel.Type)?
  let read: Read
}

extension ModelStore {
  /// Observes the model with an identity.
  ///
  /// A change of a nested model counts as a change of this one.
  ///
  /// ```swift
  /// for try await user in models.observe(User.self, id: 7) { show(user) }
  /// ```
  ///
  /// - Parameters:
  ///   - type: The type of the model.
  ///   - id: The identity.
  /// - Returns: A cold sequence: the model, or `nil` while it, or a nested model that it requires,
  ///   is not stored.
  public func observe<Model: PersistableModel>(
    _ type: Model.Type,
    id: Model.ID
  ) -> ModelObservation<Model?> {
    // An identity that cannot be encoded fails when it is read.
    let key = (try? ModelBatch.identify(type, id))
      .map { EntityKey(model: Model.modelName, id: $0) }
    return ModelObservation(
      store: self,
      reader: ModelObservationReader(
        isShort: true,
        wording: { "\(Model.modelName), id: …" },
        interest: ModelInterest(keys: Set([key].compactMap(\.self))),
        type: type,
        read: { reading, context throws(FreshetError) in
          let id = try ModelBatch.identify(type, id)
          return try reading.model(type, id, in: context, nilIfIncomplete: true)
        }
      )
    )
  }

  /// Observes the result of a query.
  ///
  /// A change of a nested model of a result counts as a change.
  ///
  /// - Parameter query: The query; a limit keeps each read short.
  /// - Returns: A cold sequence of results.
  public func observe<Model: PersistableModel>(
    _ query: ModelQuery<Model>
  ) -> ModelObservation<[Model]> {
    ModelObservation(
      store: self,
      reader: ModelObservationReader(
        isShort: false,
        wording: { "\(query)" },
        interest: ModelInterest(models: [Model.modelName]),
        type: Model.self,
        read: { reading, context throws(FreshetError) in
          try reading.models(query, in: context)
        }
      )
    )
  }
}

// MARK: - Description

extension ModelObservation: PipelineDescribable, CustomStringConvertible {
  /// The observed value, without identities and the values that a query compares with.
  package var words: PipelineDescription {
    PipelineDescription("models", ".observe(\(reader.wording()))")
  }
}
