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
      guard case .found(let found) = step else { return step }
      return found.checked(policy, limits: limits, now: now())
    }
  }
}

@available(*, unavailable)
extension CheckExpirySequence.Iterator: Sendable {}

// MARK: - Description

extension CheckExpirySequence: PipelineStage {
  var stageDescription: String {
    ".checkExpiry" + Wording.parameters(policy.wording, limits.wording)
  }
}
