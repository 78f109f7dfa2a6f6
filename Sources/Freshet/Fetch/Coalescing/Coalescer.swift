import Synchronization

/// The registry of fetches in progress, through which fetches of the same thing share one transfer.
///
/// A client has one of its own; clients that are given the same one share transfers. It keeps nothing
/// of what has arrived.
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
  /// Read by each fetch before its lookups, without the lock.
  private let completions = Atomic(0)
  /// The longest wait for a cancelled fetch to store what it has.
  private let patience: Duration

  /// Makes an empty registry.
  public convenience init() {
    self.init(patience: .seconds(1))
  }

  init(patience: Duration) {
    self.patience = patience
  }

  /// The number of shared fetches in progress.
  public var count: Int { state.withLock(\.count) }

  /// The number of fetches that wait for them.
  public var subscriberCount: Int { state.withLock(\.subscriberCount) }

  /// The number of completions so far, to be compared with later.
  var epoch: Int { completions.load(ordering: .acquiring) }
}

extension Coalescer {
  /// What becomes of a subscriber.
  enum Outcome {
    /// The first one: the shared fetch has to be started, and has to complete.
    case leads(Subscription)
    /// One more.
    case joins(Subscription)
    /// The same fetch has completed since the lookups: the stores have to be asked again.
    case completedMeanwhile
    /// The same fetch was cancelled: the stores have to be asked again when it has ended.
    case leaving(SharedFetch, State.Ticket)
  }

  /// Subscribes to the shared fetch of a key.
  ///
  /// - Parameters:
  ///   - subscriber: The fetch that subscribes.
  ///   - key: What it wants.
  ///   - epoch: The ``epoch`` before the lookups that found nothing; `nil` asks neither for completions
  ///     since then nor for a cancelled fetch.
  ///   - wantsProgress: Whether progress wakes the subscriber.
  /// - Returns: The subscription, or what has to be done before there is one.
  func subscribe(
    _ subscriber: Subscription.Subscriber,
    to key: CoalescingKey,
    epoch: Int?,
    wantsProgress: Bool = true
  ) -> Outcome {
    let priority = subscriber.context.request.priority
    let outcome = state.withLock { state in
      let outcome = state.subscribe(to: key, priority: priority, epoch: epoch) {
        SharedFetch(
          leaderDecisions: subscriber.explanation.count,
          urgency: Urgency(priority)
        )
      }
      switch outcome {
      case .leads(let fetch, _):
        fetch.addSubscriber()
      case .joins(let fetch, _, let highest):
        fetch.addSubscriber()
        // In the order in which they subscribe and leave: the last change is the one that stays.
        fetch.urgency.change(to: highest)
      case .completedMeanwhile, .leaving:
        break
      }
      return outcome
    }
    func subscription(_ fetch: SharedFetch, _ ticket: State.Ticket) -> Subscription {
      Subscription(subscriber, to: fetch, in: self, ticket, wantsProgress: wantsProgress)
    }
    switch outcome {
    case .leads(let fetch, let ticket): return .leads(subscription(fetch, ticket))
    case .joins(let fetch, let ticket, _): return .joins(subscription(fetch, ticket))
    case .completedMeanwhile: return .completedMeanwhile
    case .leaving(let fetch, let ticket): return .leaving(fetch, ticket)
    }
  }

  /// Closes the shared fetches of a key, and of those that extend it, to new subscribers, after
  /// something has changed at the origin; present subscribers stay.
  func detach(coveredBy key: CacheKey) {
    state.withLock { $0.detach { key.covers($0.cacheKey) } }
  }

  /// Ends a subscription; the last one to end cancels the shared fetch.
  ///
  /// - Parameters:
  ///   - ticket: The subscription.
  ///   - isDone: Whether the shared fetch has delivered its result.
  func leave(_ ticket: State.Ticket, isDone: Bool) {
    let abandoned: SharedFetch? = state.withLock { state in
      switch state.leave(ticket, isDone: isDone) {
      case .last(let fetch): return fetch
      case .others(let fetch, let highest): fetch.urgency.change(to: highest)
      case .none: break
      }
      return nil
    }
    abandoned?.cancel()
  }

  /// Waits for the end of a fetch that was cancelled, up to the patience; after that it is forgotten.
  nonisolated(nonsending) func wait(for fetch: SharedFetch, _ ticket: State.Ticket) async {
    await fetch.end(within: patience)
    guard !Task.isCancelled else { return }
    complete(ticket)
  }

  /// Removes a shared fetch that has ended; harmless if it was removed before.
  func complete(_ ticket: State.Ticket) {
    state.withLock { state in
      state.complete(ticket)
      completions.store(state.epoch, ordering: .releasing)
    }
  }
}
