import Foundation

extension Fetch.Found {
  /// The step after the copy's freshness has been decided.
  consuming func checked(_ policy: ExpiryPolicy, limits: StaleLimits, now: Date) -> Fetch {
    age = response.record.age(now)
    let reuse = ReusePolicy.reuse(
      response,
      for: request,
      with: context.headers,
      now: now,
      expiry: policy,
      limits: limits
    )
    switch reuse {
    case .fresh:
      explanation.add(.checked(reuse))
      return .resource(Resource(fresh: self))
    case .stale(_, _, let uses):
      explanation.add(.checked(reuse))
      return stale(uses)
    case .unusable:
      if let part = part(policy, limits: limits, now: now) { return part }
      explanation.add(.checked(reuse))
      return .wanted(Fetch.Wanted(context, explanation: explanation))
    }
  }

  private func stale(_ uses: Reuse.StaleUses) -> Fetch {
    var expired = Fetch.Expired(self, uses: uses)
    if uses.contains(.asIs) { return .resource(Resource(stale: expired, isFinal: true)) }
    guard ReusePolicy.forbidsNetwork(request) else { return .expired(expired) }
    expired.explanation.add(.onlyIfCached)
    return uses.contains(.whileRevalidating)
      ? .resource(Resource(stale: expired, isFinal: true))
      : .wanted(Fetch.Wanted(context, explanation: expired.explanation))
  }

  /// The range that the request asks for, out of a whole copy that may be used without it.
  private func part(_ policy: ExpiryPolicy, limits: StaleLimits, now: Date) -> Fetch? {
    guard let whole = PartialAnswer.whole(request) else { return nil }
    let reuse = ReusePolicy.reuse(
      response,
      for: whole,
      with: context.headers,
      now: now,
      expiry: policy,
      limits: limits
    )
    guard let answer = PartialAnswer.answer(request, from: response) else { return nil }
    let part = Fetch.Found(
      context: context,
      response: answer,
      origin: origin,
      age: age,
      explanation: explanation.adding(.checked(reuse)).adding(.answeredPart)
    )
    return switch reuse {
    case .fresh: .resource(Resource(fresh: part))
    case .stale(_, _, let uses): part.stale(uses)
    case .unusable: nil
    }
  }
}
