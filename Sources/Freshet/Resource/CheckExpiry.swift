public import Foundation

extension AsyncSequence where Self: Sendable, Element == Fetch, Failure == FreshetError {
  /// Decides whether a stored copy may be used: turns `found` into a fresh `resource` or into
  /// `expired`.
  ///
  /// - A stale copy that the request's `max-stale` accepts is a `resource` as well.
  /// - A copy that has nothing to do with the request, such as one for a part of it, is forgotten:
  ///   the step is `wanted` again.
  ///
  /// - Parameters:
  ///   - policy: When a copy expires; ``ExpiryPolicy/http`` follows RFC 9111.
  ///   - now: The time to compare with; the system's by default.
  /// - Returns: The steps, with one of these in place of `found`.
  public func checkExpiry(
    _ policy: ExpiryPolicy = .http,
    now: @escaping @Sendable () -> Date = { Date() }
  ) -> some AsyncSequence<Fetch, FreshetError> & Sendable {
    CheckExpirySequence(base: self, policy: policy, now: now)
  }
}

// MARK: - Decision

extension Fetch.Found {
  /// The step after the copy's freshness has been decided.
  consuming func checked(_ policy: ExpiryPolicy, now: Date) -> Fetch {
    let reuse = ReusePolicy.reuse(response, for: request, now: now, expiry: policy)
    explanation.add(.checked(reuse))
    switch reuse {
    case .fresh:
      return .resource(Resource(fresh: self))
    case .stale(_, _, let uses):
      let expired = Fetch.Expired(self, uses: uses)
      return uses.contains(.asIs)
        ? .resource(Resource(stale: expired, isFinal: true)) : .expired(expired)
    case .unusable:
      return .wanted(Fetch.Wanted(context: context, explanation: explanation))
    }
  }
}

// MARK: - Sequence

struct CheckExpirySequence<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Base.Element == Fetch, Base.Failure == FreshetError {
  let base: Base
  let policy: ExpiryPolicy
  let now: @Sendable () -> Date

  func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator(), policy: policy, now: now)
  }
}

// MARK: - Iterator

extension CheckExpirySequence {
  struct Iterator: AsyncIteratorProtocol {
    var base: Base.AsyncIterator
    let policy: ExpiryPolicy
    let now: @Sendable () -> Date

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> Fetch? {
      let step = try await base.next(isolation: actor)
      guard case .found(let found) = step else { return step }
      return found.checked(policy, now: now())
    }
  }
}

@available(*, unavailable)
extension CheckExpirySequence.Iterator: Sendable {}
