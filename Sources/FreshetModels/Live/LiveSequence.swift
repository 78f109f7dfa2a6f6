public import Freshet
public import FreshetEssentials

/// The stored value first, the network's value after it, and every later change; see
/// ``ModelStore/live(_:refresh:saving:by:now:)``.
///
/// - Cold: each iterator observes separately, and refreshes when it begins. Iterators and ``refresh()`` share a
///   running refresh. It is cancelled when the last of them is released.
/// - The first element is the stored value, read before a request is sent. Its state is
///   ``LiveValue/State/refreshing`` if the policy refreshes, and ``LiveValue/State/stored`` otherwise.
/// - The end of a refresh is an element, even if the value is the same: ``LiveValue/State/fresh`` with the
///   new stored value, or ``LiveValue/State/failed(_:)`` with the former one. ``refresh()`` repeats these
///   elements.
/// - A cached copy that replaces a failed response counts as that failure and is not stored, because the
///   stored value may be newer. A stale copy that is shown before its validation is not stored either. Any
///   other answer of a cache is an answer, see ``/Freshet/ResourcePolicy``.
/// - Each later change of the stored value is an element, with the state of the last refresh. A failure is
///   reported once: the changes after it are ``LiveValue/State/stored``.
/// - A slow reader gets the newest state; older ones are not buffered.
/// - It ends when the store is closed. It fails only when the store cannot be read, or with
///   ``/Freshet/FreshetError/cancelled``.
public struct LiveSequence<Value: Sendable, Refusal: PipelineFailure>: AsyncSequence, Sendable {
  let observation: ModelObservation<Value>
  let source: LiveRefresh<Value, Refusal>
  let shared: SharedRefresh<Value, Refusal>
  /// The events on which it is fetched again.
  let triggers: [RefetchTrigger]

  init(
    _ observation: ModelObservation<Value>,
    _ source: LiveRefresh<Value, Refusal>,
    triggers: [RefetchTrigger] = []
  ) {
    self.observation = observation
    self.source = source
    self.triggers = triggers
    shared = SharedRefresh(source.store, triggers) { await source.perform() }
  }

  /// Refreshes now, regardless of the policy, and saves the response.
  ///
  /// - All iterators of this sequence and its copies see ``LiveValue/State/refreshing`` and then the
  ///   result. It also works without an iterator.
  /// - It joins a running refresh. Cancelling the task leaves the refresh, and cancels it if there is no
  ///   other caller or iterator.
  ///
  /// ```swift
  /// let live = client.live(HomeTimeline(), timeline, in: models)
  /// list.refreshable { await live.refresh() }
  /// ```
  ///
  /// - Returns: ``LiveValue/State/fresh`` when the answer is in the store, or
  ///   ``LiveValue/State/failed(_:)``.
  @discardableResult
  public func refresh() async -> LiveValue<Value, Refusal>.State {
    await shared.refresh() ?? .failed(Refusal(.cancelled))
  }

  /// Starts an observation; nothing is read before the first value is requested.
  public func makeAsyncIterator() -> Iterator {
    Iterator(state: LiveState(observation, source, shared))
  }

  /// Reads the stored value, and the state of its refresh.
  public struct Iterator: AsyncIteratorProtocol {
    let state: LiveState<Value, Refusal>

    /// Waits for the next value; `nil` when the store is closed.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> LiveValue<Value, Refusal>? {
      try await state.next()
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
  ///   - policy: The policy that decides about a refresh; ``RefreshPolicy/always`` by default.
  ///   - save: The treatment of models that the query finds and the response does not have; they stay,
  ///     ``SavePolicy/adding``, by default.
  ///   - pipeline: The pipeline of new models, which are saved here; it need not `persist` them.
  ///   - now: The time; the system's by default.
  /// - Returns: A cold sequence.
  public func live<Model: PersistableModel, Body: Persistable, Pipeline: AsyncSequence & Sendable>(
    _ query: ModelQuery<Model>,
    refresh policy: RefreshPolicy = .always,
    saving save: SavePolicy = .adding,
    by pipeline: Pipeline,
    now: @escaping @Sendable () -> Date = { Date() }
  ) -> LiveSequence<[Model], Pipeline.Failure>
  where Pipeline.Element == Event<Response<Body>>, Pipeline.Failure: PipelineFailure {
    LiveSequence(
      observe(query),
      LiveRefresh(
        store: self,
        policy: policy,
        name: query.sql.name(Model.modelName),
        now: now,
        isMissing: { $0.isEmpty },
        saving: save,
        words: { PipelineDescription(pipeline) },
        run: { [self] in
          switch save {
          case .adding: try await self.save(pipeline, in: self)
          case .replacing: try await replace(query, by: pipeline)
          }
        }
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
      observe(type, id: id),
      LiveRefresh(
        store: self,
        policy: policy,
        name: LiveRefresh<Model?, Pipeline.Failure>.name(type, id),
        now: now,
        isMissing: { $0 == nil },
        saving: .adding,
        words: { PipelineDescription(pipeline) },
        run: { [self] in try await self.save(pipeline, in: self) }
      )
    )
  }

  /// Gathers a list to its end, and has it replace what a query finds.
  private func replace<Model: PersistableModel, Body: Persistable, Pipeline: AsyncSequence>(
    _ query: ModelQuery<Model>,
    by pipeline: Pipeline
  ) async throws
  where Pipeline.Element == Event<Response<Body>>, Pipeline.Failure: PipelineFailure {
    let gathering = ModelGathering(self)
    try await save(pipeline, in: gathering)
    var replacement = ModelReplacement(query)
    for part in gathering.parts { replacement.add(part) }
    try replacement.requireList()
    try await write(gathering, replacement)
  }

  /// Saves what a pipeline brings, but for old copies: what is stored may be newer than they are.
  ///
  /// - Throws: The pipeline's failure, or that of an old copy that came in the place of an answer.
  private func save<Body: Persistable, Pipeline: AsyncSequence>(
    _ pipeline: Pipeline,
    in place: some ModelStoring
  ) async throws
  where Pipeline.Element == Event<Response<Body>>, Pipeline.Failure: PipelineFailure {
    var failure: FreshetError? = .noValue
    // Of a part that is replaced by an old copy, a list is not whole.
    var standIn: FreshetError?
    for try await event in pipeline {
      guard case .value(let response) = event else { continue }
      if let resource = response.resource {
        // A stale copy that is shown before its validation.
        if !resource.isFinal { continue }
        if let cause = resource.replacedFailure {
          failure = cause
          if place is ModelGathering { standIn = cause }
          continue
        }
      }
      _ = try await response.value.persisted(in: place)
      failure = nil
    }
    if let failure = standIn ?? failure { throw failure }
  }
}

// MARK: - Description

extension LiveSequence: PipelineDescribable, CustomStringConvertible {
  /// The query, the policy of its refresh, and the pipeline.
  package var words: PipelineDescription {
    let subject = observation.reader.wording()
    let saving = source.saving == .replacing ? ", saving: .replacing" : ""
    let policy = source.policy.wording + saving
    let pipeline = PipelineDescription.indented(source.words().description)
    let words = PipelineDescription(
      "models",
      ".live(\(subject), refresh: \(policy)) {\n\(pipeline)\n}"
    )
    if triggers.isEmpty { return words }
    return words.adding(".refetched(on: \(triggers.map(\.words).joined(separator: ", ")))")
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
