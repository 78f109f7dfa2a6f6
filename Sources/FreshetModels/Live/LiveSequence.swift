public import Foundation
public import Freshet

/// A live value: the stored models at first, then the result of a refresh, and every change since;
/// see ``ModelStore/live(_:refresh:by:now:)``.
///
/// - Cold: each iterator has its own observation and refresh. Releasing it cancels its refresh.
/// - The first element is the stored value, read before the network is asked. Its state is
///   ``LiveValue/State/refreshing`` if the policy requires a refresh, and
///   ``LiveValue/State/stored`` otherwise.
/// - When the refresh ends, there is an element, even if the value is the same:
///   ``LiveValue/State/fresh`` with the newly stored value, or ``LiveValue/State/failed(_:)`` with
///   the value that was stored before.
/// - A cached copy that replaces a failure counts as that failure, and is not stored, because the
///   stored models may be newer. The same applies to a stale copy that is only shown before its
///   validation. Any other response from a cache is a valid response, see
///   ``/Freshet/ResourcePolicy``.
/// - It continues with each change of the stored value, by any writer, in the state of that refresh.
/// - A slow reader gets the newest state; intermediate ones are dropped.
/// - It ends when the store is closed. It fails only when the store cannot be read, or with
///   ``/Freshet/FreshetError/cancelled``.
public struct LiveSequence<Value: Sendable, Refusal: PipelineFailure>: AsyncSequence, Sendable {
  let observation: ModelObservation<Value>
  let refresh: LiveRefresh<Value, Refusal>

  /// Starts an observation; nothing is read before the first value is requested.
  public func makeAsyncIterator() -> Iterator {
    Iterator(state: LiveState(observation, refresh))
  }

  /// Reads the stored value, and the state of its refresh.
  public struct Iterator: AsyncIteratorProtocol {
    let state: LiveState<Value, Refusal>

    /// Waits for the next value; `nil` when the store is closed.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> LiveValue<Value, Refusal>? {
      try await state.next(isolation: actor)
    }
  }
}

@available(*, unavailable)
extension LiveSequence.Iterator: Sendable {}

extension ModelStore {
  /// Shows the result of a query, refreshes it by a pipeline, and follows the store.
  ///
  /// ```swift
  /// let timeline = ModelQuery(Tweet.self).sorted(by: \.createdAt, .descending).limit(50)
  /// for try await live in models.live(timeline, by: client.call(HomeTimeline())) {
  ///   show(live.value)
  ///   if let failure = live.failure { say(failure) }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - query: The query for the shown models.
  ///   - policy: The policy of the refresh; ``RefreshPolicy/always`` by default.
  ///   - pipeline: The pipeline that brings new models; they are saved here, and need no `persist` in it.
  ///   - now: A closure that returns the current time; the system's by default.
  /// - Returns: A cold sequence.
  public func live<Model: PersistableModel, Body: Persistable, Pipeline: AsyncSequence & Sendable>(
    _ query: ModelQuery<Model>,
    refresh policy: RefreshPolicy = .always,
    by pipeline: Pipeline,
    now: @escaping @Sendable () -> Date = { Date() }
  ) -> LiveSequence<[Model], Pipeline.Failure>
  where Pipeline.Element == Event<Response<Body>>, Pipeline.Failure: PipelineFailure {
    LiveSequence(
      observation: observe(query),
      refresh: LiveRefresh(
        store: self,
        policy: policy,
        name: query.sql.name(Model.modelName),
        now: now,
        isMissing: { $0.isEmpty },
        words: { PipelineWords(pipeline) },
        run: { [self] in try await refresh(by: pipeline) }
      )
    )
  }

  /// Shows the model with an identity, refreshes it by a pipeline, and follows the store.
  ///
  /// - Parameters:
  ///   - type: The type of the model.
  ///   - id: The identity.
  ///   - policy: The policy of the refresh; ``RefreshPolicy/always`` by default.
  ///   - pipeline: The pipeline that brings the model; it is saved here, and needs no `persist` in it.
  ///   - now: A closure that returns the current time; the system's by default.
  /// - Returns: A cold sequence: the model, or `nil` while there is none.
  public func live<Model: PersistableModel, Body: Persistable, Pipeline: AsyncSequence & Sendable>(
    _ type: Model.Type,
    id: Model.ID,
    refresh policy: RefreshPolicy = .always,
    by pipeline: Pipeline,
    now: @escaping @Sendable () -> Date = { Date() }
  ) -> LiveSequence<Model?, Pipeline.Failure>
  where Pipeline.Element == Event<Response<Body>>, Pipeline.Failure: PipelineFailure {
    LiveSequence(
      observation: observe(type, id: id),
      refresh: LiveRefresh(
        store: self,
        policy: policy,
        name: LiveRefresh<Model?, Pipeline.Failure>.name(type, id),
        now: now,
        isMissing: { $0 == nil },
        words: { PipelineWords(pipeline) },
        run: { [self] in try await refresh(by: pipeline) }
      )
    )
  }

  /// Saves the models of a pipeline, except for old copies, because the stored models may be newer.
  private func refresh<Body: Persistable, Pipeline: AsyncSequence>(
    by pipeline: Pipeline
  ) async throws
  where Pipeline.Element == Event<Response<Body>>, Pipeline.Failure: PipelineFailure {
    var failure: FreshetError? = .noValue
    for try await event in pipeline {
      guard case .value(let response) = event else { continue }
      if let resource = response.resource {
        // A stale copy that is shown before its validation.
        if !resource.isFinal { continue }
        if let cause = resource.replacedFailure {
          failure = cause
          continue
        }
      }
      _ = try await Body.persist([response.value], in: self)
      failure = nil
    }
    if let failure { throw failure }
  }
}

// MARK: - Description

extension LiveSequence: Worded, CustomStringConvertible {
  /// The query, the policy of its refresh, and the pipeline.
  public var description: String { words.description }

  package var words: PipelineWords {
    let subject = observation.reader.wording()
    let policy = refresh.policy.wording
    let pipeline = PipelineWords.indented(refresh.words().description)
    return PipelineWords("models", ".live(\(subject), refresh: \(policy)) {\n\(pipeline)\n}")
  }
}

extension RefreshPolicy {
  fileprivate var wording: String {
    switch self {
    case .always: ".always"
    case .ifMissing: ".ifMissing"
    case .after(let duration): ".after(\(duration.rounded))"
    case .never: ".never"
    }
  }
}
