/// A subscription to a shared fetch, with its steps from the perspective of one subscriber.
///
/// Releasing it ends the subscription.
final class Subscription: FetchSource, Sendable {
  /// The fetch that subscribes.
  struct Subscriber: Sendable {
    let context: FetchContext
    /// The decisions of the fetch so far.
    let explanation: Explanation

    init(_ context: FetchContext, _ explanation: Explanation) {
      self.context = context
      self.explanation = explanation
    }
  }

  private let subscriber: Subscriber
  let fetch: SharedFetch
  private let reader: Broadcast<Fetch, FreshetError>.Reader
  /// The number of bytes that had arrived before the subscription.
  private let inherited: Int64
  private let coalescer: Coalescer
  private let ticket: Coalescer.State.Ticket

  init(
    _ subscriber: Subscriber,
    to fetch: SharedFetch,
    in coalescer: Coalescer,
    _ ticket: Coalescer.State.Ticket,
    wantsProgress: Bool
  ) {
    self.subscriber = subscriber
    self.fetch = fetch
    self.coalescer = coalescer
    self.ticket = ticket
    inherited = fetch.broadcast.newestProgress?.completed ?? 0
    // Immediately, so that a fetch that starts after the cancellation does not join the cancelled one.
    reader = fetch.broadcast.reader(wantsProgress: wantsProgress) {
      coalescer.leave(ticket, isDone: fetch.isDone)
    }
  }

  deinit {
    coalescer.leave(ticket, isDone: fetch.isDone)
  }

  /// Starts the shared fetch, which this subscription leads.
  func start(_ rest: FetchRest) {
    fetch.start(rest) { [coalescer, ticket] in coalescer.complete(ticket) }
  }

  nonisolated(nonsending) func next() async throws(FreshetError) -> Fetch? {
    switch try await reader.next(isolation: #isolation) {
    case .progress(let progress): .progress(progress.inheriting(inherited))
    case .value(let step): own(step)
    case nil: nil
    }
  }

  /// Returns a shared step with the subscriber's own request, and its own decisions before the shared ones.
  private func own(_ step: consuming Fetch) -> Fetch {
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
