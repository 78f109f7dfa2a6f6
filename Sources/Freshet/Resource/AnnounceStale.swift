extension AsyncSequence where Self: Sendable, Element == Fetch, Failure == FreshetError {
  /// Shows an expired copy while it is being validated: a `resource` that is not final, and then
  /// the `expired` step itself.
  ///
  /// A copy whose response forbids stale use (`must-revalidate`, `no-cache`) is not announced.
  ///
  /// - Parameter announcement: Which copies are announced; all that may be, by default.
  /// - Returns: The steps, with a stale resource before `expired`.
  public func announceStale(
    _ announcement: ResourcePolicy.StaleAnnouncement = .beforeValidation
  ) -> some AsyncSequence<Fetch, FreshetError> & Sendable {
    AnnounceStaleSequence(base: self, announcement: announcement)
  }
}

// MARK: - Sequence

struct AnnounceStaleSequence<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Base.Element == Fetch, Base.Failure == FreshetError {
  let base: Base
  let announcement: ResourcePolicy.StaleAnnouncement
  /// Begins a refresh behind the value, for ``ResourcePolicy/StaleAnnouncement/servedWhileRefreshing``.
  var refresh: (@Sendable (FetchContext) -> Void)?

  func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator(), announcement: announcement, refresh: refresh)
  }
}

// MARK: - Iterator

extension AnnounceStaleSequence {
  struct Iterator: AsyncIteratorProtocol {
    var base: Base.AsyncIterator
    let announcement: ResourcePolicy.StaleAnnouncement
    let refresh: (@Sendable (FetchContext) -> Void)?
    var announced: Fetch.Expired?

    init(
      base: Base.AsyncIterator,
      announcement: ResourcePolicy.StaleAnnouncement,
      refresh: (@Sendable (FetchContext) -> Void)?
    ) {
      self.base = base
      self.announcement = announcement
      self.refresh = refresh
    }

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> Fetch? {
      if let expired = announced.take() {
        return .expired(expired)
      }
      let step = try await base.next(isolation: actor)
      guard case .expired(var expired) = step, announces(expired) else { return step }
      if announcement == .servedWhileRefreshing, let refresh {
        refresh(expired.context)
        expired.explanation.add(.servedWhileRefreshing)
        return .resource(Resource(stale: expired, isFinal: true))
      }
      expired.explanation.add(.announcedStale)
      announced = expired
      return .resource(Resource(stale: expired, isFinal: false))
    }

    private func announces(_ expired: Fetch.Expired) -> Bool {
      guard expired.uses.contains(.announced), expired.response.head.status.isSuccess else {
        return false
      }
      return switch announcement {
      case .withheld: false
      case .whenAllowed, .servedWhileRefreshing:
        expired.uses.contains(.whileRevalidating) || expired.origin == .seed
      case .beforeValidation: true
      }
    }
  }
}

@available(*, unavailable)
extension AnnounceStaleSequence.Iterator: Sendable {}

// MARK: - Description

extension AnnounceStaleSequence: PipelineStage {
  var stageDescription: String {
    switch announcement {
    case .withheld: ""
    case .beforeValidation: ".announceStale()"
    case .whenAllowed, .servedWhileRefreshing: ".announceStale(.\(announcement))"
    }
  }
}
