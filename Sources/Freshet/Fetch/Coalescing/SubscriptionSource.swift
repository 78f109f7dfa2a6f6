/// The steps of a shared fetch that runs in another task, from the perspective of one subscriber.
///
/// If the result is for the user of the fetch that has begun it only, the subscriber runs the stages itself.
final class SubscriptionSource: FetchSource {
  private let subscription: Subscription
  /// The shared stages; `nil` for the subscriber that has begun the shared fetch.
  private let rest: FetchRest?
  private let wantsProgress: Bool
  private var own: RestSource?
  /// The reader of the broadcast.
  private let reader: Int
  /// The number of bytes that had arrived before the subscription.
  private let inherited: Int64

  private var fetch: SharedFetch { subscription.fetch }

  /// Creates the source, which progress only wakes if it is wanted.
  init(_ subscription: Subscription, wantsProgress: Bool, joiningWith rest: FetchRest? = nil) {
    self.subscription = subscription
    self.rest = rest
    self.wantsProgress = wantsProgress
    let progress = subscription.fetch.broadcast.newestProgress
    inherited = progress.map { $0.isSent ? 0 : $0.completed } ?? 0
    reader = subscription.fetch.broadcast.join(wantsProgress: wantsProgress)
  }

  deinit {
    fetch.broadcast.leave(reader)
  }

  nonisolated(nonsending) func next() async throws(FreshetError) -> Fetch? {
    if let own { return try await own.next() }
    do throws(FreshetError) {
      switch try await event() {
      case .progress(let progress) where rest == nil || !progress.isPersonal:
        return .progress(progress.inheriting(inherited))
      case .value(let step) where rest == nil || !step.isPersonal: return subscription.own(step)
      case .progress, .value: break
      case nil: return nil
      }
    } catch {
      guard isPersonal(error) else { throw error }
    }
    guard let rest else { return nil }
    subscription.leave()
    let own = RestSource(rest, wantsProgress: wantsProgress)
    self.own = own
    return try await own.next()
  }

  private nonisolated(nonsending) func event() async throws(FreshetError) -> Event<Fetch>? {
    try await fetch.broadcast.next(reader) { [subscription] in
      // Immediately, so that a fetch that starts after the cancellation does not join the cancelled one.
      subscription.leave()
    }
  }

  private func isPersonal(_ error: FreshetError) -> Bool {
    guard let rest else { return false }
    if error.isPersonal { return true }
    guard let head = error.head, let transport = rest.stages.transport else { return false }
    return subscription.context.isPersonal(head, over: transport)
  }
}

extension Fetch {
  fileprivate var isPersonal: Bool {
    switch self {
    case .downloaded(let downloaded):
      downloaded.transfer.isPersonal
    case .resource(let resource):
      resource.transfer?.isPersonal == true || resource.replacedFailure?.isPersonal == true
    case .wanted, .found, .expired, .progress:
      false
    }
  }
}

extension FreshetError {
  fileprivate var isPersonal: Bool {
    guard case .status(let head, _) = self else { return false }
    return head.notes.story?.isPersonal == true
  }
}
