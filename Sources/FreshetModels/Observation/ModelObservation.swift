public import Freshet

/// What is stored, now and whenever it changes; see ``ModelStore/observe(_:id:)``.
///
/// - Cold: each iterator observes for itself, and stops with its last reference.
/// - The current value comes at once, then each change, from whatever task or process made it.
/// - A reader that is slow gets the newest state, and nothing is gathered for it meanwhile.
/// - A value that is equal to the one before is left out; so is what a transaction changes and then
///   rolls back.
/// - It ends when the store is closed. It fails with ``/Freshet/FreshetError/store(_:)`` when the store cannot
///   be read, and with ``/Freshet/FreshetError/cancelled`` when its task is cancelled.
public struct ModelObservation<Value: Sendable>: AsyncSequence, Sendable {
  let store: ModelStore
  let reader: ModelObservationReader<Value>

  /// Begins to observe; nothing is read before the first value is asked for.
  public func makeAsyncIterator() -> Iterator {
    Iterator(state: ModelObservationState(store: store, reader: reader))
  }

  /// Reads what is stored, and waits for it to change.
  public struct Iterator: AsyncIteratorProtocol {
    let state: ModelObservationState<Value>

    /// Waits for the next value; `nil` when the store is closed.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> Value? {
      while true {
        switch try await state.step(isolation: actor) {
        case .value(let value): return value
        case .same: continue
        case .end: return nil
        case .wait: await state.subscription.wait(isolation: actor)
        }
      }
    }
  }
}

@available(*, unavailable)
extension ModelObservation.Iterator: Sendable {}

/// How a value is read.
struct ModelObservationReader<Value: Sendable>: Sendable {
  typealias Read = @Sendable (ModelReading, ReadingContext) throws(FreshetError) -> Value

  /// Whether it reads one model, which is done where the caller is.
  let isShort: Bool
  /// What is read, for descriptions.
  let wording: @Sendable () -> String
  /// What it depends on besides what it meets.
  let interest: ModelInterest
  let type: any PersistableModel.Type
  let read: Read
}

extension ModelStore {
  /// Observes the model with an identity.
  ///
  /// A change of a model inside it counts as a change of this one.
  ///
  /// ```swift
  /// for try await user in models.observe(User.self, id: 7) { show(user) }
  /// ```
  ///
  /// - Parameters:
  ///   - type: Its type.
  ///   - id: The identity.
  /// - Returns: A cold sequence: the model, or `nil` while there is none, or one that it cannot do
  ///   without is not stored.
  public func observe<Model: PersistableModel>(
    _ type: Model.Type,
    id: Model.ID
  ) -> ModelObservation<Model?> {
    // An identity that cannot be encoded fails when it is read.
    let key = Result { try ModelBatch.identify(type, id) }
      .map { EntityKey(model: Model.modelName, id: $0) }
    return ModelObservation(
      store: self,
      reader: ModelObservationReader(
        isShort: true,
        wording: { "\(Model.modelName), id: …" },
        interest: ModelInterest(keys: Set([try? key.get()].compactMap(\.self))),
        type: type,
        read: { reading, context throws(FreshetError) in
          try reading.completeModel(type, try ModelBatch.identify(type, id), in: context)
        }
      )
    )
  }

  /// Observes what a query finds.
  ///
  /// A change of a model inside one of those found counts as a change.
  ///
  /// - Parameter query: The query; a limit keeps each reading short.
  /// - Returns: A cold sequence of what is found.
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

extension ModelObservation: Worded, CustomStringConvertible {
  /// What is observed, without identities and the values that a query compares with.
  public var description: String { words.description }

  package var words: PipelineWords { PipelineWords("models", ".observe(\(reader.wording()))") }
}
