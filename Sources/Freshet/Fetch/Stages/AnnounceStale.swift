extension AsyncSequence where Self: Sendable, Element == Fetch, Failure == FreshetError {
  /// Shows an expired copy while it is being revalidated: delivers a `resource` that is not final, and
  /// then the `expired` step itself.
  ///
  /// A copy whose response forbids stale use (`must-revalidate`, `no-cache`) is not announced.
  ///
  /// - Parameters:
  ///   - announcement: The copies to announce; all for which that is allowed, by default.
  ///   - refreshes: The background refreshes for ``ResourcePolicy/StaleAnnouncement/servedWhileRefreshing``,
  ///     which run the stages after this one at low priority. Without them, copies are announced as with
  ///     ``ResourcePolicy/StaleAnnouncement/whenAllowed``.
  /// - Returns: The chain with this stage.
  public func announceStale(
    _ announcement: ResourcePolicy.StaleAnnouncement = .beforeValidation,
    refreshes: Refreshes? = nil
  ) -> FetchChain {
    appending(AnnounceStale(announcement, refreshes: refreshes))
  }
}

/// Shows an expired copy before its revalidation, see
/// ``_Concurrency/AsyncSequence/announceStale(_:refreshes:)``.
public struct AnnounceStale: FetchStage {
  let announcement: ResourcePolicy.StaleAnnouncement
  let refreshes: Refreshes?

  /// Creates the stage; without refreshes, no copy is refreshed in the background.
  public init(
    _ announcement: ResourcePolicy.StaleAnnouncement = .beforeValidation,
    refreshes: Refreshes? = nil
  ) {
    self.announcement = announcement
    self.refreshes = announcement == .servedWhileRefreshing ? refreshes : nil
  }

  /// The kinds of steps that the stage handles.
  public var handles: Fetch.Kinds { announcement == .withheld ? [] : .expired }

  /// Replies to a step without waiting.
  public func replyNow(to step: Fetch) -> Fetch.Reply? {
    guard case .expired(let expired) = step, announces(expired) else { return .pass }
    return refreshes == nil ? announced(expired) : nil
  }

  /// Replies to a step at its place in a run.
  public func reply(to step: Fetch, at place: FetchPlace) async -> Fetch.Reply {
    guard case .expired(var expired) = step, let refreshes else { return .pass }
    guard !place.isPlan else { return announced(expired) }
    refreshes.begin(place.rest(from: .expired(expired.at(.low)), isBehindValue: true).alone)
    expired.explanation.add(.servedWhileRefreshing)
    return .step(.resource(Resource(stale: expired, isFinal: true)))
  }

  private func announced(_ copy: Fetch.Expired) -> Fetch.Reply {
    var expired = copy
    expired.explanation.add(.announcedStale)
    return .steps(.resource(Resource(stale: expired, isFinal: false)), then: .expired(expired))
  }

  private func announces(_ expired: Fetch.Expired) -> Bool {
    guard expired.uses.contains(.announced), expired.response.head.status.isSuccess else {
      return false
    }
    return switch announcement {
    case .withheld: false
    case .whenAllowed, .servedWhileRefreshing:
      expired.uses.contains(.whileRevalidating) || expired.source == .seed
    case .beforeValidation: true
    }
  }

  /// The stage as it would be written in code.
  public var stageDescription: String {
    switch announcement {
    case .withheld: ""
    case .beforeValidation: ".announceStale()"
    case .whenAllowed, .servedWhileRefreshing: ".announceStale(.\(announcement))"
    }
  }
}

extension Fetch.Expired {
  /// Returns a copy of the step with another priority.
  fileprivate func at(_ priority: Request.Priority) -> Fetch.Expired {
    var expired = self
    expired.context = context.at(priority)
    return expired
  }
}
