/// A pipeline that has been started.
///
/// Its result can be awaited and its events iterated, any number of times, during the run and afterwards.
public struct Running<Value: Sendable, Failure: PipelineFailure>: Sendable {
  let broadcast: Broadcast<Value, Failure>
  private let task: Task<Void, Never>

  /// Starts a pipeline, whose events a broadcast sends.
  init<Pipeline: AsyncSequence & Sendable>(
    _ pipeline: Pipeline,
    over broadcast: Broadcast<Value, Failure> = Broadcast()
  )
  where
    Pipeline.Element: PipelineEvent,
    Pipeline.Element.Value == Value,
    Pipeline.Failure == Failure
  {
    self.broadcast = broadcast
    task = Task { await broadcast.relay(pipeline) }
  }

  /// Waits for the final value.
  ///
  /// Cancelling the task that waits does not cancel the pipeline.
  ///
  /// - Throws: The pipeline's failure; ``FreshetError/cancelled`` if the waiting task is cancelled
  ///   or ``cancel()`` was called; ``FreshetError/noValue`` if the pipeline ended without a value.
  public var value: Value {
    get async throws(Failure) { try await events.value }
  }

  /// The latest events, followed by all later ones.
  ///
  /// - A late reader first gets the newest progress and the last value, and the end if the pipeline has
  ///   ended.
  /// - Values reach every reader in order and are never dropped: the pipeline waits for a reader that
  ///   is 16 values behind. Progress is conflated to the newest.
  /// - Each iterator reads independently; cancelling a reader only ends its own iteration.
  public var events: RunningEvents<Value, Failure> { RunningEvents(broadcast: broadcast) }

  /// Cancels the pipeline; its readers fail with ``FreshetError/cancelled`` unless it had already ended.
  public func cancel() {
    task.cancel()
    broadcast.end(Failure(.cancelled))
  }
}
