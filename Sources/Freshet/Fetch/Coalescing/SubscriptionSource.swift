/// The steps of a shared fetch that runs in another task, from the perspective of one subscriber.
final class SubscriptionSource: FetchSource {
  private let subscription: Subscription
  /// The reader of the broadcast.
  private let reader: Int
  /// The number of bytes that had arrived before the subscription.
  private let inherited: Int64

  private var fetch: SharedFetch { subscription.fetch }

  /// Creates the source, which progress only wakes if it is wanted.
  init(_ subscription: Subscription, wantsProgress: Bool) {
    self.subscription = subscription
    inherited = subscription.fetch.broadcast.newestProgress?.completed ?? 0
    reader = subscription.fetch.broadcast.join(wantsProgress: wantsProgress)
  }

  deinit {
    fetch.broadcast.leave(reader)
  }

  nonisolated(nonsending) func next() async throws(FreshetError) -> Fetch? {
    let event = try await fetch.broadcast.next(reader, isolation: #isolation) { [subscription] in
      // Immediately, so that a fetch that starts after the cancellation does not join the cancelled one.
      subscription.leave()
    }
    switch event {
    case .progress(let progress): return .progress(progress.inheriting(inherited))
    case .value(let step): return subscription.own(step)
    case nil: return nil
    }
  }
}
