import FreshetEssentials

/// The rules by which a copy expires, at one time.
struct ExpiryRules {
  let policy: ExpiryPolicy
  let limits: StaleLimits
  let now: Date
}

extension Fetch.Found {
  /// Returns the step that follows from the freshness of what was found.
  func checked(by rules: ExpiryRules) -> Fetch {
    response.isRefusal ? checkedError(by: rules) : checkedCopy(by: rules, isSuperseded: false)
  }

  /// Returns the step that follows from the freshness of a copy.
  ///
  /// A copy that an error has superseded is always revalidated, even if it is fresh.
  private func checkedCopy(by rules: ExpiryRules, isSuperseded: Bool) -> Fetch {
    let reuse = reuse(request, by: rules, isSuperseded: isSuperseded)
    switch reuse {
    case .fresh:
      let copy = checked(reuse, at: rules.now)
      return .resource(copy.notModified ?? Resource(fresh: copy))
    case .stale(_, _, let uses):
      return checked(reuse, at: rules.now).stale(uses)
    case .unusable:
      return part(by: rules, isSuperseded: isSuperseded)
        ?? .wanted(unusable(reuse, by: rules, isSuperseded: isSuperseded))
    }
  }

  /// Returns the request for the origin; a stale copy may replace a failure if only the request's
  /// own condition, which the origin evaluates, is in its way (RFC 9111 sections 4.3.2 and 4.3.3).
  private func unusable(
    _ reuse: Reuse,
    by rules: ExpiryRules,
    isSuperseded: Bool
  ) -> Fetch.Wanted {
    let copy = checked(reuse, at: rules.now)
    guard reuse == .unusable(.conditional), !RequestDirectives(request.headers).isForOrigin,
      case .stale(_, _, let uses) = self.reuse(
        request.withoutConditions,
        by: rules,
        isSuperseded: isSuperseded
      )
    else { return Fetch.Wanted(context, explanation: copy.explanation) }
    return Fetch.Expired(copy, uses: uses.intersection(.onError)).superseded()
  }

  /// Returns the copy with its age and the decision about its freshness.
  private func checked(_ reuse: Reuse, at now: Date) -> Fetch.Found {
    var found = adding(.checked(reuse))
    found.age = response.record.age(now)
    return found
  }

  private func reuse(_ request: Request, by rules: ExpiryRules, isSuperseded: Bool) -> Reuse {
    ReusePolicy.reuse(
      response,
      for: request,
      with: context.headers,
      now: rules.now,
      expiry: rules.policy,
      limits: rules.limits,
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
  private func part(by rules: ExpiryRules, isSuperseded: Bool) -> Fetch? {
    guard let whole = PartialAnswer.whole(request) else { return nil }
    let reuse = reuse(whole, by: rules, isSuperseded: isSuperseded)
    let copy = checked(reuse, at: rules.now)
    // RFC 9110 section 13.2.2: conditions are evaluated before ranges.
    if case .fresh = reuse, let notModified = copy.notModified { return .resource(notModified) }
    // A copy that was assembled from parts is the range already.
    let isPart = response.head.status == .partialContent
    guard let answer = isPart ? response : PartialAnswer.answer(request, from: response) else {
      return nil
    }
    var part = copy.adding(.answeredPart)
    part.response = answer
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
    var found = adding(.answeredNotModified)
    found.response = answer
    return Resource(fresh: found)
  }
}

// MARK: - Errors

extension Fetch.Found {
  /// Returns the step that follows from the freshness of a stored error (RFC 9111 section 4).
  ///
  /// - A fresh error is the response. If it is a failure of the server, the copy beside it is served
  ///   instead, as it would be after a request (section 4.3.3, RFC 5861 section 4).
  /// - An error that is stale, or not for this request, is never used: the copy beside it is revalidated.
  private func checkedError(by rules: ExpiryRules) -> Fetch {
    let reuse = reuse(request, by: rules, isSuperseded: false)
    let error = checked(reuse, at: rules.now)
    let copy = error.copyBeside
    guard case .fresh = reuse else {
      return copy?.checkedCopy(by: rules, isSuperseded: true)
        ?? .wanted(Fetch.Wanted(context, explanation: error.explanation))
    }
    return copy?.standIn(for: error, by: rules) ?? .resource(Resource(fresh: error))
  }

  /// The copy of the resource that is stored beside an error.
  private var copyBeside: Fetch.Found? {
    guard let beside = response.beside else { return nil }
    var found = self
    (found.response, found.source) = (beside.response, beside.source)
    return found
  }

  /// Returns the copy in place of a stored failure of the server, if that is allowed.
  private func standIn(for failure: Fetch.Found, by rules: ExpiryRules) -> Fetch? {
    guard ReusePolicy.isFailure(failure.response.head.status),
      case .stale(_, _, let uses) = reuse(request, by: rules, isSuperseded: true),
      let body = try? failure.response.body.data(limit: RefusedResponse.bodyLimit)
    else { return nil }
    return try? StaleFallback.serve(
      Fetch.Expired(self, uses: uses),
      insteadOf: .status(
        failure.response.head.telling(failure.source, failure.explanation),
        body: body
      ),
      explanation: failure.explanation,
      now: rules.now
    )
  }
}
