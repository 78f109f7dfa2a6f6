extension AsyncSequence where Self: Sendable, Element == Fetch, Failure == FreshetError {
  /// Shows an expired copy while it is being validated: a `resource` that is not final, and then
  /// the `expired` step itself.
  ///
  /// A copy whose response forbids stale use (`must-revalidate`, `no-cache`) is not announced.
  ///
  /// - Returns: The steps, with a stale resource before each `expired`.
  public func announceStale() -> some AsyncSequence<Fetch, FreshetError> & Sendable {
    AnnounceStaleSequence(base: self, announcement: .beforeValidation)
  }
}

// MARK: - Sequence

struct AnnounceStaleSequence<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Base.Element == Fetch, Base.Failure == FreshetError {
  let base: Base
  let announcement: ResourcePolicy.StaleAnnouncement

  func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator(), announcement: announcement)
  }
}

// MARK: - Iterator

extension AnnounceStaleSequence {
  struct Iterator: AsyncIteratorProtocol {
    var base: Base.AsyncIterator
    let announcement: ResourcePolicy.StaleAnnouncement
    var announced: Fetch.Expired?

    init(base: Base.AsyncIterator, announcement: ResourcePolicy.StaleAnnouncement) {
      self.base = base
      self.announcement = announcement
    }

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> Fetch? {
      if let expired = announced.take() {
        return .expired(expired)
      }
      let step = try await base.next(isolation: actor)
      guard
        case .expired(var expired) = step,
        announcement == .beforeValidation,
        expired.uses.contains(.announced)
      else { return step }
      expired.explanation.add(.announcedStale)
      announced = expired
      return .resource(Resource(stale: expired, isFinal: false))
    }
  }
}

@available(*, unavailable)
extension AnnounceStaleSequence.Iterator: Sendable {}
