extension AsyncSequence
where Self: Sendable, Element: PipelineEvent, Failure: PipelineFailure {
  /// Runs the pipeline once for all iterators of the result.
  ///
  /// - The first reader's first `next` starts it, in a task of its own, unless the reader's task is cancelled.
  /// - A late reader gets the newest progress and the last value, and then all later events; after the
  ///   end, those two and the end or the failure.
  /// - Values reach every reader in order and are never dropped: the pipeline waits for a reader that
  ///   is 16 values behind. Progress is conflated to the newest and never waits.
  /// - A failure reaches every reader once.
  /// - A reader leaves when its task is cancelled or its iterator is released. When the last one leaves
  ///   before the end, the pipeline is cancelled, and the next reader starts it again.
  ///
  /// ```swift
  /// let logo = client.resource(at: url).share()
  /// async let small = logo.value
  /// async let large = logo.value
  /// ```
  ///
  /// - Returns: A sequence whose copies share one run.
  public func share() -> some AsyncSequence<Event<Element.Value>, Failure> & Sendable {
    ShareSequence(pipeline: SharedPipeline(self))
  }
}

// MARK: - Sequence

struct ShareSequence<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Base.Element: PipelineEvent, Base.Failure: PipelineFailure {
  let pipeline: SharedPipeline<Base>

  func makeAsyncIterator() -> Iterator {
    Iterator(pipeline: pipeline)
  }
}

// MARK: - Iterator

extension ShareSequence {
  struct Iterator: AsyncIteratorProtocol {
    fileprivate let pipeline: SharedPipeline<Base>
    fileprivate var events: RunningEvents<Base.Element.Value, Base.Failure>.Iterator?

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(Base.Failure) -> Event<Base.Element.Value>? {
      if events == nil {
        let isCancelled = Task.isCancelled
        events = .init(reader: isCancelled ? nil : pipeline.join())
        if isCancelled { throw Base.Failure(.cancelled) }
      }
      return try await events?.next(isolation: actor)
    }
  }
}

@available(*, unavailable)
extension ShareSequence.Iterator: Sendable {}

// MARK: - Description

extension ShareSequence: PipelineStage {
  var base: Base { pipeline.base }
}
