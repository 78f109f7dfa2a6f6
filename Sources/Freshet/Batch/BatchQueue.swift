/// A queue of requests that several processes work off, each with a run of its own, see
/// ``Client/batch(from:policy:)``.
///
/// A queue hands each request to one run at a time, and again if that run fails to fetch it or dies: each
/// is fetched at least once.
public protocol BatchQueue: Sendable {
  /// Makes the consumer of one run; nothing is taken yet.
  func makeConsumer() -> any BatchQueueConsumer
}

/// A consumer that takes requests from a queue for one run, and is told how each of them ended.
public protocol BatchQueueConsumer: Sendable {
  /// Returns the next request, once there is one; not called concurrently.
  ///
  /// - Returns: A request, or `nil` when the queue has ended or ``finish()`` was called.
  /// - Throws: The failure that ends the run.
  func next() async throws(FreshetError) -> Request?

  /// Records that a request has ended: it has a value that the reader of the run has processed, or it has
  /// failed.
  ///
  /// It is called by the reader, in order of time, and must not block.
  ///
  /// - Parameters:
  ///   - index: The position of the request among those of ``next()``, from 0.
  ///   - failure: The failure; `nil` for a value.
  func ended(_ index: Int, failure: FreshetError?)

  /// Gives back the requests that have not ended, and ends a waiting ``next()``.
  ///
  /// It is called when the run ends, fails or is cancelled, perhaps several times.
  func finish()
}

extension Client {
  /// Makes a batch of the requests of a queue, which other processes may work off at the same time.
  ///
  /// - A run takes a few more requests than it works on, at most four times `maxConcurrent`. A request has
  ///   ended when the reader has taken its last value, which the stores have by then, and has asked for the
  ///   next event.
  /// - A failed request is an event and part of the run's result. The queue decides whether it comes again.
  /// - The run ends when the queue has ended. If it is cancelled before, or fails, the requests that have not
  ///   ended go back to the queue.
  /// - Progress counts the requests of this run.
  ///
  /// - Parameters:
  ///   - queue: The queue.
  ///   - policy: The policy of the fetches; the client's by default.
  /// - Returns: A batch; nothing is taken from the queue yet. It cannot be planned.
  public func batch(from queue: any BatchQueue, policy: ResourcePolicy? = nil) -> Batch {
    Batch(client: self, source: .queue(queue), policy: policy)
  }
}
