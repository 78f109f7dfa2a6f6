import FreshetEssentials

extension Fetch.Found {
  /// Returns the step that follows from the freshness of what was found.
  func checked(_ policy: ExpiryPolicy, limits: StaleLimits, now: Date) -> Fetch {
    response.isRefusal
      ? checkedError(policy, limits: limits, now: now)
      : checkedCopy(policy, limits: limits, now: now, isSuperseded: false)
  }

  /// Returns the step that follows from the freshness of a copy.
  ///
  /// A copy that an error has superseded is always revalidated, even if it is fresh.
  private func checkedCopy(
    _ policy: ExpiryPolicy,
    limits: StaleLimits,
    now: Date,
    isSuperseded: Bool
  ) -> Fetch {
    let reuse = reuse(request, policy, limits: limits, now: now, isSuperseded: isSuperseded)
    switch reuse {
    case .fresh:
      let copy = checked(reuse, at: now)
      return .resource(copy.notModified ?? Resource(fresh: copy))
    case .stale(_, _, let uses):
      return checked(reuse, at: now).stale(uses)
    case .unusable:
      return part(policy, limits: limits, now: now, isSuperseded: isSuperseded)
        ?? .wanted(Fetch.Wanted(context, explanation: explanation.adding(.checked(reuse))))
    }
  }

  /// Returns the copy with its age and the decision about its freshness.
  private func checked(_ reuse: Reuse, at now: Date) -> Fetch.Found {
    Fetch.Found(
      context: context,
      response: response,
      source: source,
      age: response.record.age(now),
      explanation: explanation.adding(.checked(reuse))
    )
  }

  private func reuse(
    _ request: Request,
    _ policy: ExpiryPolicy,
    limits: StaleLimits,
    now: Date,
    isSuperseded: Bool
  ) -> Reuse {
    ReusePolicy.reuse(
      response,
      for: request,
      with: context.headers,
      now: now,
      expiry: policy,
      limits: limits,
      isSuperseded: isSuperseded
    )
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

  /// Returns the range that the request asks for as a part of a usable whole copy; `nil` if it is not usable.
  private func part(
    _ policy: ExpiryPolicy,
    limits: StaleLimits,
    now: Date,
    isSuperseded: Bool
  ) -> Fetch? {
    guard let whole = PartialAnswer.whole(request) else { return nil }
    let reuse = reuse(whole, policy, limits: limits, now: now, isSuperseded: isSuperseded)
    let copy = checked(reuse, at: now)
    if case .fresh = reuse {
      // RFC 9110 section 13.2.2: conditions are evaluated before ranges.
      if let notModified = copy.notModified { return .resource(notModified) }
    }
    // A copy that was assembled from parts is the range already.
    let isPart = response.head.status == .partialContent
    guard let answer = isPart ? response : PartialAnswer.answer(request, from: response) else {
      return nil
    }
    let part = Fetch.Found(
      context: context,
      response: answer,
      source: source,
      age: copy.age,
      explanation: copy.explanation.adding(.answeredPart)
    )
    return switch reuse {
    case .fresh: .resource(Resource(fresh: part))
    case .stale(_, _, let uses): part.stale(uses)
    case .unusable: nil
    }
  }
}

extension Fetch.Found {
  /// The 304 response to a conditional request that matches the fresh copy (RFC 9111 section 4.3.2).
  private var notModified: Resource? {
    guard let answer = ConditionalAnswer.answer(request, from: response) else { return nil }
    return Resource(
      fresh: Fetch.Found(
        context: context,
        response: answer,
        source: source,
        age: age,
        explanation: explanation.adding(.answeredNotModified)
      )
    )
  }
}

// MARK: - Errors

extension Fetch.Found {
  /// Returns the step that follows from the freshness of a stored error (RFC 9111 section 4).
  ///
  /// - A fresh error is the response. If it is a failure of the server, the copy beside it is served
  ///   instead, as it would be after a request (section 4.3.3, RFC 5861 section 4).
  /// - An error that is stale, or not for this request, is never used: the copy beside it is revalidated.
  private func checkedError(
    _ policy: ExpiryPolicy,
    limits: StaleLimits,
    now: Date
  ) -> Fetch {
    let reuse = reuse(request, policy, limits: limits, now: now, isSuperseded: false)
    let error = checked(reuse, at: now)
    let copy = error.copyBeside
    guard case .fresh = reuse else {
      return copy?.checkedCopy(policy, limits: limits, now: now, isSuperseded: true)
        ?? .wanted(Fetch.Wanted(context, explanation: error.explanation))
    }
    return copy?.standIn(for: error, policy, limits: limits, now: now)
      ?? .resource(Resource(fresh: error))
  }

  /// The copy of the resource that is stored beside an error.
  private var copyBeside: Fetch.Found? {
    guard let beside = response.beside else { return nil }
    return Fetch.Found(
      context: context,
      response: beside.response,
      source: beside.source,
      explanation: explanation
    )
  }

  /// Returns the copy in place of a stored failure of the server, if that is allowed.
  private func standIn(
    for failure: Fetch.Found,
    _ policy: ExpiryPolicy,
    limits: StaleLimits,
    now: Date
  ) -> Fetch? {
    guard ReusePolicy.isFailure(failure.response.head.status),
      case .stale(_, _, let uses) = reuse(
        request,
        policy,
        limits: limits,
        now: now,
        isSuperseded: true
      ),
      let body = try? failure.response.body.data(limit: RefusedResponse.bodyLimit)
    else { return nil }
    return try? StaleFallback.serve(
      Fetch.Expired(self, uses: uses),
      insteadOf: .status(
        failure.response.head.telling(failure.source, failure.explanation),
        body: body
      ),
      explanation: failure.explanation,
      now: now
    )
  }
}
