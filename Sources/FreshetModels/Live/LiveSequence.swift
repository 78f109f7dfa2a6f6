public import Foundation
public import Freshet

/// What is stored at once, what the network says behind it, and every change since; see
/// ``ModelStore/live(_:refresh:by:now:)``.
///
/// - Cold: each iterator observes and refreshes for itself. Dropping it cancels a refresh under way.
/// - The first element is what is stored, read before the network is asked. Its state is
///   ``LiveValue/State/refreshing`` if the policy has the network asked, and
///   ``LiveValue/State/stored`` otherwise.
/// - When the refresh ends, there is an element, also if the value is the same: ``LiveValue/State/fresh``
///   with what was stored, or ``LiveValue/State/failed(_:)`` with what had been stored before.
/// - A cached copy that stands in for a failure is that failure, and is not stored: what is stored may
///   be newer. Nor is a stale copy that is only shown before its validation. What a cache answers as
///   it is allowed to is an answer, see ``/Freshet/ResourcePolicy``.
/// - It goes on with each change of what is stored, whoever makes it, in the state of that refresh.
/// - A slow reader gets the newest state; nothing is gathered for it.
/// - It ends when the store is closed. It fails only when the store cannot be read, or with
///   ``/Freshet/FreshetError/cancelled``.
public struct LiveSequence<Value: Sendable, Refusal: PipelineFailure>: AsyncSequence, Sendable {
  let observation: ModelObservation<Value>
  let refresh: LiveRefresh<Value, Refusal>

  /// Begins to observe; nothing is read before the first value is asked for.
  public func makeAsyncIterator() -> Iterator {
    Iterator(state: LiveState(observation, refresh))
  }

  /// Reads what is stored, and how its refresh stands.
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
  /// Shows what a query finds, refreshes it by a pipeline, and follows the store.
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
  ///   - query: What to show.
  ///   - policy: When to refresh; ``RefreshPolicy/always`` by default.
  ///   - pipeline: What brings new models; they are saved here, it need not `persist` them.
  ///   - now: The time; the system's by default.
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
  ///   - type: Its type.
  ///   - id: The identity.
  ///   - policy: When to refresh; ``RefreshPolicy/always`` by default.
  ///   - pipeline: What brings the model; it is saved here, it need not `persist` it.
  ///   - now: The time; the system's by default.
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

  /// Saves what a pipeline brings, but for old copies: what is stored may be newer than they are.
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
  /// What is shown, when it is refreshed, and by which pipeline.
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
