public import FreshetEssentials

// Operators of pipelines that are easily written after a stream: the messages are the compiler's errors.

extension BodyStream {
  /// Unavailable: the body is not collected.
  @available(
    *,
    unavailable,
    message: "a stream has no final value: write `client.send(request).value` for the whole body"
  )
  public var value: Data {
    get async throws(FreshetError) { throw .noValue }
  }

  /// Unavailable: each reader would wait for the others.
  @available(
    *,
    unavailable,
    message: "a stream has one reader: write `client.resource(at: url).share()` for several"
  )
  public func share() -> BodyStream { self }

  /// Unavailable: chunks that were delivered cannot be taken back.
  @available(
    *,
    unavailable,
    message: """
      a stream may fail in its middle: write `client.send(request).validate().fallback(to: other)`, or \
      catch the failure and read the other stream
      """
  )
  public func fallback<Other: AsyncSequence>(to other: Other) -> BodyStream { self }
}

extension EventStream {
  /// Unavailable: the stream has no final event.
  @available(
    *,
    unavailable,
    message: "a stream has no final value: write `for try await event in stream`"
  )
  public var value: ServerSentEvent {
    get async throws(FreshetError) { throw .noValue }
  }

  /// Unavailable: each reader would wait for the others.
  @available(
    *,
    unavailable,
    message: "a stream has one reader: read it in one task, and hand its events on"
  )
  public func share() -> EventStream { self }

  /// Unavailable: events that were delivered cannot be taken back.
  @available(
    *,
    unavailable,
    message: "a stream connects again by itself: catch its failure, and read the other stream"
  )
  public func fallback<Other: AsyncSequence>(to other: Other) -> EventStream { self }
}

extension Batch {
  /// Unavailable: a batch is not a run.
  @available(*, unavailable, message: "write `batch.run().value`")
  public var value: BatchResult {
    get async throws(FreshetError) { throw .noValue }
  }

  /// Unavailable: a batch is not a run.
  @available(*, unavailable, message: "write `batch.run().share()`")
  public func share() -> Batch { self }
}

extension FetchChain {
  /// Unavailable: the chain delivers steps.
  @available(*, unavailable, message: "write `chain.settle().value`")
  public var value: Resource {
    get async throws(FreshetError) { try await settle().value }
  }

  /// Unavailable: the chain delivers steps.
  @available(*, unavailable, message: "write `chain.settle().share()`")
  public func share() -> FetchChain { self }

  /// Unavailable: the chain delivers steps.
  @available(*, unavailable, message: "write `chain.settle().fallback(to: other)`")
  public func fallback<Other: AsyncSequence>(to other: Other) -> FetchChain { self }
}
