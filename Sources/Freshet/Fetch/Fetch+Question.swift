package import FreshetEssentials

extension Fetch {
  /// The question that a step without an answer asks, for stages that share the answers of several
  /// processes.
  package struct Question: Sendable {
    private let asked: Wanted

    private var context: FetchContext { asked.context }

    /// Creates the question of a step; `nil` if it has an answer, or if its answer is not for others:
    /// the request may change something, or asks for a part.
    package init?(_ step: Fetch) {
      guard let (context, explanation) = step.asking else { return nil }
      let request = context.request
      asked = Wanted(context, explanation: explanation)
      guard CoalescingKey.isShareable(request), !ReusePolicy.forbidsNetwork(request),
        !request.headers.contains(.range)
      else { return nil }
    }

    /// The key for lookups.
    package var key: CacheKey { context.key }

    /// The keys under which the response may be stored.
    package var keys: Set<CacheKey> { [context.key, context.storageKey] }

    /// The header fields that select among stored responses.
    package var headers: HTTPHeaders { context.headers }

    /// A Boolean value that indicates whether the request has credentials, and no partition says whose
    /// they are.
    package var isPrivate: Bool {
      context.partition.isEmpty && context.headers.contains { Redaction.isSecret($0.name) }
    }

    /// The time limit for the whole; `nil` for none.
    package var total: Duration? { context.request.timeouts.total }

    /// The first step of a fetch that asks again.
    package var wanted: Fetch { .wanted(asked) }

    /// Returns the step of a fetch that has found a copy in a store.
    package func found(_ copy: StoredResponse, in source: Resource.Source) -> Fetch {
      .found(asked.found(copy, in: source))
    }

    /// A digest of all by which fetches are the same, see ``Coalesce``.
    package func digest(salt: String) -> String {
      var writer = RecordWriter()
      writer.append(salt)
      writer.append(context.request.method.rawValue)
      writer.append(context.key.text)
      for field in CoalescingKey.sorted(context.headers) {
        writer.append(ASCII.lowercased(field.name.rawValue))
        writer.append(field.value)
      }
      return SHA256Hasher.digest(of: Data(writer.bytes)).hex
    }
  }
}

extension Fetch {
  /// The resource of a copy that was validated while the fetch waited for that, whatever its lifetime;
  /// `nil` if there is no copy.
  package var validatedMeanwhile: Resource? {
    guard case .found(let found) = self else { return nil }
    return Resource(fresh: found)
  }

  /// Returns the step after a part of the request's time has passed.
  package func shortened(by time: Duration) -> Fetch {
    guard let context = asking?.context, let total = context.request.timeouts.total else {
      return self
    }
    let rest = context.within(max(total - time, .milliseconds(1)))
    switch self {
    case .wanted(let wanted):
      let (copy, explanation) = (wanted.fallback, wanted.explanation)
      return .wanted(Wanted(rest, fallback: copy, explanation: explanation, call: wanted.call))
    case .expired(var expired):
      expired.context = rest
      return .expired(expired)
    case .found, .progress, .downloaded, .resource: return self
    }
  }

  /// Ends a fetch whose time is over before its request was sent.
  ///
  /// - Parameter now: The current time.
  /// - Returns: The stale copy, if it may be served instead of a failure.
  /// - Throws: ``FreshetError/timedOut(_:url:)``.
  package func timedOut(now: Date) throws(FreshetError) -> Fetch {
    guard let (context, explanation) = asking else { return self }
    let fallback: Expired? =
      switch self {
      case .wanted(let wanted): wanted.fallback
      case .expired(let expired): expired
      case .found, .progress, .downloaded, .resource: nil
      }
    return try StaleFallback.serve(
      fallback,
      insteadOf: .timedOut(.total, url: Redaction.shown(context.request.url)),
      explanation: explanation,
      now: now
    )
  }

  /// The step with a further decision.
  package func adding(_ decision: Decision) -> Fetch {
    switch self {
    case .resource(var resource):
      resource.explanation = resource.explanation.adding(decision)
      return .resource(resource)
    case .wanted(var wanted):
      wanted.explanation.add(decision)
      return .wanted(wanted)
    case .expired(var expired):
      expired.explanation.add(decision)
      return .expired(expired)
    case .found, .progress, .downloaded: return self
    }
  }
}
