/// The lead of a shared fetch: sends the steps of the run that holds it to all subscribers.
///
/// Releasing it, with the run, ends the shared fetch.
final class SharedFetchLead {
  private let fetch: SharedFetch
  private let coalescer: Coalescer
  private let ticket: Coalescer.State.Ticket
  /// The subscription that reads the run's steps, and the worker that runs it; `nil` if all
  /// subscribers read in other tasks.
  private let reader: (subscription: Subscription, worker: WorkerTask)?
  private var failure: FreshetError? = .cancelled
  private var isCompleted = false

  init(
    _ fetch: SharedFetch,
    in coalescer: Coalescer,
    _ ticket: Coalescer.State.Ticket,
    reader: (subscription: Subscription, worker: WorkerTask)? = nil
  ) {
    self.fetch = fetch
    self.coalescer = coalescer
    self.ticket = ticket
    self.reader = reader
  }

  deinit {
    if !isCompleted { coalescer.complete(ticket) }
    fetch.broadcast.end(failure)
    reader?.worker.endLead()
  }

  /// Sends a step, and completes the fetch before its result is sent.
  ///
  /// - Returns: The step for the reader of the run.
  func send(_ step: Fetch) -> Fetch {
    if case .progress(let progress) = step {
      fetch.broadcast.send(progress)
      return step
    }
    if step.endsReading { failure = nil }
    if step.isResult {
      isCompleted = true
      coalescer.complete(ticket)
    }
    fetch.broadcast.post(step)
    return reader?.subscription.own(step) ?? step
  }

  /// Sets the end of the fetch, which its subscribers get once the run is released.
  func finish(_ failure: FreshetError?) {
    self.failure = failure
  }
}

extension Fetch {
  /// A Boolean value that indicates whether the chain ends with this step.
  package var isResult: Bool {
    switch self {
    case .downloaded: true
    case .resource(let resource): resource.isFinal
    case .wanted, .found, .expired, .progress: false
    }
  }

  /// A Boolean value that indicates whether a reader may stop after this step, because it is settled as
  /// the final value or as a failure.
  fileprivate var endsReading: Bool {
    switch self {
    case .wanted, .found, .expired: true
    case .downloaded, .resource, .progress: isResult
    }
  }
}
