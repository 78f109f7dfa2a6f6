public import Freshet

/// A stored value, and the models in it with changes that the server has not confirmed.
public struct PendingValue<Value: Sendable>: Sendable {
  /// The value with the effects of pending changes.
  public var value: Value
  /// The models in the value with pending changes.
  public var pending: PendingModels

  /// A Boolean value that indicates whether the value is optimistic.
  public var isPending: Bool { !pending.isEmpty }

  /// Makes a value.
  public init(value: Value, pending: PendingModels) {
    self.value = value
    self.pending = pending
  }
}

extension PendingValue: Equatable where Value: Equatable {}

/// An observation that says what is optimistic; see ``ModelObservation/withPending``.
public struct PendingObservation<Value: Sendable>: AsyncSequence, Sendable {
  let observation: ModelObservation<Value>

  /// Starts an observation; nothing is read before the first value is requested.
  public func makeAsyncIterator() -> Iterator {
    Iterator(
      state: ModelObservationState(
        store: observation.store,
        reader: observation.reader,
        followsPending: true
      )
    )
  }

  /// Reads the stored value, and waits for changes.
  public struct Iterator: AsyncIteratorProtocol {
    let state: ModelObservationState<Value>

    /// Waits for the next value; `nil` when the store is closed.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> PendingValue<Value>? {
      guard let value = try await state.next() else { return nil }
      return PendingValue(value: value, pending: state.pending)
    }
  }
}

@available(*, unavailable)
extension PendingObservation.Iterator: Sendable {}

extension ModelObservation {
  /// The values of this observation, each with those of its models that the server has not confirmed.
  ///
  /// There is also a value when nothing but that has changed.
  ///
  /// ```swift
  /// for try await spring in models.observe(Spring.self, id: 7).withPending {
  ///   show(spring.value, isPending: spring.isPending)
  /// }
  /// ```
  public var withPending: PendingObservation<Value> { PendingObservation(observation: self) }
}
