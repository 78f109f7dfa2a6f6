public import Foundation

extension AsyncSequence where Self: Sendable, Element == Fetch, Failure == FreshetError {
  /// Decides whether a stored copy may be used: turns `found` into a fresh `resource` or into
  /// `expired`.
  ///
  /// - A stale copy that the request's `max-stale` accepts is a `resource` as well.
  /// - A request for one range of bytes is answered from a whole copy: fresh, or `expired` as the whole
  ///   would be.
  /// - A copy that has nothing to do with the request is forgotten: the step is `wanted` again. So is
  ///   a stale one if the request's `only-if-cached` keeps it from being validated.
  ///
  /// - Parameters:
  ///   - policy: When a copy expires; ``ExpiryPolicy/http`` follows RFC 9111.
  ///   - limits: How long past its lifetime a copy is of use.
  ///   - now: The time to compare with; the system's by default.
  /// - Returns: The steps, with one of these in place of `found`.
  public func checkExpiry(
    _ policy: ExpiryPolicy = .http,
    limits: StaleLimits = StaleLimits(),
    now: @escaping @Sendable () -> Date = { Date() }
  ) -> some AsyncSequence<Fetch, FreshetError> & Sendable {
    CheckExpirySequence(base: self, policy: policy, limits: limits, now: now)
  }
}

// MARK: - Sequence

struct CheckExpirySequence<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Base.Element == Fetch, Base.Failure == FreshetError {
  let base: Base
  let policy: ExpiryPolicy
  let limits: StaleLimits
  let now: @Sendable () -> Date

  func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator(), policy: policy, limits: limits, now: now)
  }
}

// MARK: - Iterator

extension CheckExpirySequence {
  struct Iterator: AsyncIteratorProtocol {
    var base: Base.AsyncIterator
    let policy: ExpiryPolicy
    let limits: StaleLimits
    let now: @Sendable () -> Date

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> Fetch? {
      let step = try await base.next(isolation: actor)
      guard case .found(var found) = step else { return step }
      let now = now()
      found.age = found.response.record.age(now)
      let reuse = reuse(found, for: found.request, now)
      if case .unusable = reuse, let part = part(of: found, now) { return part }
      found.explanation.add(.checked(reuse))
      switch reuse {
      case .fresh:
        return .resource(Resource(fresh: found))
      case .stale(_, _, let uses):
        return stale(found, uses)
      case .unusable:
        return .wanted(Fetch.Wanted(context: found.context, explanation: found.explanation))
      }
    }

    private func reuse(_ found: Fetch.Found, for request: Request, _ now: Date) -> Reuse {
      ReusePolicy.reuse(
        found.response,
        for: request,
        with: found.context.headers,
        now: now,
        expiry: policy,
        limits: limits
      )
    }

    private func stale(_ found: Fetch.Found, _ uses: Reuse.StaleUses) -> Fetch {
      var expired = Fetch.Expired(found, uses: uses)
      if uses.contains(.asIs) { return .resource(Resource(stale: expired, isFinal: true)) }
      guard ReusePolicy.forbidsNetwork(found.request) else { return .expired(expired) }
      expired.explanation.add(.onlyIfCached)
      return uses.contains(.whileRevalidating)
        ? .resource(Resource(stale: expired, isFinal: true))
        : .wanted(Fetch.Wanted(context: found.context, explanation: expired.explanation))
    }

    /// The range that the request asks for, out of a whole copy that may be used without it.
    private func part(of found: Fetch.Found, _ now: Date) -> Fetch? {
      guard let whole = PartialAnswer.whole(found.request) else { return nil }
      let reuse = reuse(found, for: whole, now)
      guard let response = PartialAnswer.answer(found.request, from: found.response) else {
        return nil
      }
      let part = Fetch.Found(
        context: found.context,
        response: response,
        origin: found.origin,
        age: found.age,
        explanation: found.explanation.adding(.checked(reuse)).adding(.answeredPart)
      )
      switch reuse {
      case .fresh: return .resource(Resource(fresh: part))
      case .stale(_, _, let uses): return stale(part, uses)
      case .unusable: return nil
      }
    }
  }
}

@available(*, unavailable)
extension CheckExpirySequence.Iterator: Sendable {}
