/// A subscription to a shared fetch.
///
/// Releasing it ends the subscription.
final class Subscription: Sendable {
  /// The fetch that subscribes.
  struct Subscriber: Sendable {
    let context: FetchContext
    /// The decisions of the fetch so far.
    let explanation: Explanation
  }

  private let subscriber: Subscriber
  var context: FetchContext { subscriber.context }
  let fetch: SharedFetch
  private let coalescer: Coalescer
  private let ticket: Coalescer.State.Ticket

  init(
    _ subscriber: Subscriber,
    to fetch: SharedFetch,
    in coalescer: Coalescer,
    _ ticket: Coalescer.State.Ticket
  ) {
    self.subscriber = subscriber
    self.fetch = fetch
    self.coalescer = coalescer
    self.ticket = ticket
  }

  deinit {
    leave()
  }

  /// Ends the subscription; has no effect if it has ended.
  func leave() {
    coalescer.leave(ticket)
  }

  /// Runs the shared stages in a task of their own.
  ///
  /// - Parameters:
  ///   - rest: The shared stages.
  ///   - actor: The actor of the subscriber. Without one, the task runs on the subscriber's thread until it
  ///     waits for the first time, so that the request is sent without a thread switch.
  func start(_ rest: FetchRest, isolation actor: isolated (any Actor)?) {
    // The task must not hold the subscription, whose end may cancel it.
    let work: @concurrent @Sendable () async -> Void = { [fetch, coalescer, ticket] in
      await Request.Priority.$current.withValue(fetch.urgency) {
        var run = FetchRun(rest, leading: SharedFetchLead(fetch, in: coalescer, ticket))
        // The lead sends the steps, and the failure.
        while (try? await run.next(isolation: nil)) != nil {}
      }
    }
    fetch.setTask(actor == nil ? Task.immediateIfAvailable(work) : Task(operation: work))
  }

  /// Returns the lead of the shared fetch for a run of a worker, which reads its steps.
  func lead(in worker: WorkerTask) -> SharedFetchLead {
    SharedFetchLead(fetch, in: coalescer, ticket, reader: (self, worker))
  }

  /// Returns a shared step with the subscriber's own request, and its own decisions before the shared ones.
  func own(_ step: consuming Fetch) -> Fetch {
    let count = fetch.companionCount
    guard count > 0 else { return step }
    func story(_ shared: Explanation) -> Explanation {
      var story = subscriber.explanation.adding(.coalesced(with: count))
      for decision in shared.dropFirst(fetch.leaderDecisions) { story.add(decision) }
      return story
    }
    switch step {
    case .downloaded(var downloaded):
      downloaded.context = subscriber.context
      downloaded.explanation = story(downloaded.explanation)
      return .downloaded(downloaded)
    case .resource(var resource):
      resource.context = subscriber.context
      resource.explanation = story(resource.explanation)
      return .resource(resource)
    case .wanted, .found, .expired, .progress:
      return step
    }
  }
}
