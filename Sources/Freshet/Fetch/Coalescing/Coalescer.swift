import Synchronization

/// The registry of fetches in progress, through which fetches of the same thing share one transfer.
///
/// Each client has its own by default; clients with the same registry share transfers. It stores no
/// part of the responses.
///
/// ```swift
/// let coalescer = Coalescer()
/// let logo = Fetch.request(request)
///   .lookup(in: memory)
///   .coalesce(in: coalescer)
///   .download(over: transport)
///   .persist(in: memory)
///   .settle()
/// ```
public final class Coalescer: Sendable {
  typealias State = CoalescerState<CoalescingKey, SharedFetch>

  private let state = Mutex(State())
  /// The number of completions, which each fetch reads before its lookups without the lock.
  private let completions = Atomic(0)
  /// The longest wait for a cancelled fetch to store what it has.
  private let patience: Duration

  /// Creates an empty registry.
  public convenience init() {
    self.init(patience: .seconds(1))
  }

  init(patience: Duration) {
    self.patience = patience
  }

  /// The number of shared fetches in progress.
  public var count: Int { state.withLock(\.count) }

  /// The number of fetches that are subscribed to shared ones.
  public var subscriberCount: Int { state.withLock(\.subscriberCount) }

  /// The number of completions so far, to be compared with later.
  var epoch: Int { completions.load(ordering: .acquiring) }
}

extension Coalescer {
  /// The result of a subscription.
  enum Outcome {
    /// The fetch is the first: it has to start the shared fetch, and complete it.
    case leads(Subscription)
    /// The fetch joins a shared one.
    case joins(Subscription)
    /// An equal fetch has completed since the lookups: the stores have to be queried again.
    case completedMeanwhile
    /// An equal fetch was cancelled: once it has ended, the stores have to be queried again.
    case leaving(SharedFetch, State.Ticket)
  }

  /// Subscribes to the shared fetch of a key.
  ///
  /// - Parameters:
  ///   - subscriber: The fetch that subscribes.
  ///   - key: The key of the shared fetch.
  ///   - epoch: The ``epoch`` before the lookups that found nothing; `nil` skips the checks for later
  ///     completions and for a cancelled fetch.
  ///   - urgency: The priority of the task in which the subscriber would run the shared fetch; `nil`,
  ///     the default, if it gets a task of its own.
  /// - Returns: The subscription, or what has to be done before there is one.
  func subscribe(
    _ subscriber: Subscription.Subscriber,
    to key: CoalescingKey,
    epoch: Int?,
    urgency: ObservedValue<Request.Priority>? = nil
  ) -> Outcome {
    let priority = subscriber.context.request.priority
    let outcome = state.withLock { state in
      let outcome = state.subscribe(to: key, priority: priority, epoch: epoch) {
        SharedFetch(
          leaderDecisions: subscriber.explanation.count,
          urgency: urgency ?? ObservedValue(priority)
        )
      }
      switch outcome {
      case .leads(let fetch, _):
        fetch.addSubscriber()
      case .joins(let fetch, _, let highest):
        fetch.addSubscriber()
        // Under the lock, so that changes have the order of the subscriptions and the last one stays.
        fetch.urgency.change(to: highest)
      case .completedMeanwhile, .leaving:
        break
      }
      return outcome
    }
    func subscription(_ fetch: SharedFetch, _ ticket: State.Ticket) -> Subscription {
      Subscription(subscriber, to: fetch, in: self, ticket)
    }
    switch outcome {
    case .leads(let fetch, let ticket): return .leads(subscription(fetch, ticket))
    case .joins(let fetch, let ticket, _): return .joins(subscription(fetch, ticket))
    case .completedMeanwhile: return .completedMeanwhile
    case .leaving(let fetch, let ticket): return .leaving(fetch, ticket)
    }
  }

  /// Closes the shared fetches of a key, and of those that extend it, to new subscribers, after a
  /// change at the origin.
  ///
  /// Present subscribers stay.
  func detach(coveredBy key: CacheKey) {
    state.withLock { $0.detach { key.covers($0.cacheKey) } }
  }

  /// Ends a subscription; ending the last one cancels the shared fetch.
  ///
  /// - Parameter ticket: The subscription.
  func leave(_ ticket: State.Ticket) {
    let abandoned: SharedFetch? = state.withLock { state in
      switch state.leave(ticket) {
      case .last(let fetch): return fetch
      case .others(let fetch, let highest): fetch.urgency.change(to: highest)
      case .none: break
      }
      return nil
    }
    abandoned?.cancel()
  }

  /// Waits until a cancelled fetch has ended, up to the patience; then removes it.
  nonisolated(nonsending) func wait(for fetch: SharedFetch, _ ticket: State.Ticket) async {
    await fetch.end(within: patience)
    guard !Task.isCancelled else { return }
    complete(ticket)
  }

  /// Removes a shared fetch that has ended; has no effect if it was removed before.
  func complete(_ ticket: State.Ticket) {
    state.withLock { state in
      state.complete(ticket)
      completions.store(state.epoch, ordering: .releasing)
    }
  }
}
