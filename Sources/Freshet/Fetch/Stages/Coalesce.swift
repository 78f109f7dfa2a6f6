extension AsyncSequence where Self: Sendable, Element == Fetch, Failure == FreshetError {
  /// Shares the following stages among concurrent fetches of the same resource: one transfer, one
  /// revalidation, one write.
  ///
  /// - Steps that the preceding stages have answered pass unchanged. A `wanted` or `expired` step
  ///   subscribes to the shared fetch for its request, or starts one, which runs the following stages
  ///   in a task of its own, or in that of a batch's worker.
  /// - Fetches are the same if these agree: the label, and the key, method, header fields, timeouts,
  ///   redirects, limits, networks and tags of the request; the priority may differ. Requests with a body, or
  ///   with another method than `GET` and `HEAD`, are never shared, unless the method is `QUERY` or
  ///   ``Request/cacheIdentity`` declares that they are read-only.
  /// - A response to credentials that the transport does not report (``Transport/addedFields(for:)``), or that
  ///   `Vary` selects by such a field, is only for the fetch that has begun the transfer: the others run the
  ///   following stages themselves.
  /// - A late subscriber gets the newest progress and the last step, and then all later ones. The transfer
  ///   has the time limits of the first fetch: ``Request/Timeouts/total`` counts from that fetch's start, so
  ///   that a late subscriber may fail before its own time is over.
  /// - Progress is conflated to the newest for each reader; steps are never dropped. A reader that is
  ///   slow, or stops reading, delays neither the transfer nor the others.
  /// - A failure reaches every subscriber once. Cancelling one fetch does not affect the shared one;
  ///   cancelling the last one cancels it.
  /// - A fetch that starts while the same one is being cancelled waits up to a second for its partial
  ///   body to be stored, then resumes from it.
  /// - A shared fetch has the highest priority among its subscribers.
  /// - The explanation contains `coalesced with` and the number of the others.
  /// - A fetch whose lookups ended just before the same one completed restarts its chain, at most three
  ///   times.
  /// ```swift
  /// let logo = Fetch.request(request)
  ///   .lookup(in: memory)
  ///   .coalesce(in: coalescer)
  ///   .download(over: transport)
  ///   .persist(in: memory)
  ///   .settle()
  /// ```
  ///
  /// - Parameters:
  ///   - coalescer: The registry of shared fetches.
  ///   - label: A text that must agree as well, such as a name for the following stages; the stages of
  ///     the first fetch are run. Empty by default.
  /// - Returns: The chain with this stage.
  public func coalesce(in coalescer: Coalescer, label: String = "") -> FetchChain {
    appending(Coalesce(in: coalescer, label: label))
  }
}

/// Shares the stages after it, see ``_Concurrency/AsyncSequence/coalesce(in:label:)``.
public struct Coalesce: FetchStage {
  let coalescer: Coalescer
  let setting: CoalescingKey.Setting

  /// Creates the stage for a registry.
  public init(in coalescer: Coalescer, label: String = "") {
    self.init(in: coalescer, .label(label))
  }

  init(in coalescer: Coalescer, _ setting: CoalescingKey.Setting) {
    self.coalescer = coalescer
    self.setting = setting
  }

  /// The kinds of steps that the stage handles.
  public var handles: Fetch.Kinds { [.wanted, .expired] }

  /// Replies to a step at its place in a run.
  public func reply(to step: Fetch, at place: FetchPlace) async throws(FreshetError) -> Fetch.Reply
  {
    guard let (context, explanation) = step.asking else { return .pass }
    // A shared fetch may be waiting for the renewal of a credential that this fetch is a part of.
    guard !place.isPlan, !Authenticator.isRenewingOrSigning,
      CoalescingKey.isShareable(context.request)
    else { return .pass }
    let key = CoalescingKey(context, setting, place.stages.edition)
    let outcome = coalescer.subscribe(
      Subscription.Subscriber(context: context, explanation: explanation),
      to: key,
      epoch: place.epoch,
      urgency: place.worker?.urgency
    )
    switch outcome {
    case .leads(let subscription):
      if let lead = place.worker?.lead(subscription) { return .lead(lead) }
      let source = SubscriptionSource(subscription, wantsProgress: place.wantsProgress)
      subscription.start(place.rest(from: step), isolation: #isolation)
      return .results(source)
    case .joins(let subscription):
      let rest = place.rest(from: step)
      return .results(
        SubscriptionSource(subscription, wantsProgress: place.wantsProgress, joiningWith: rest)
      )
    case .completedMeanwhile:
      return .restart
    case .leaving(let fetch, let ticket):
      await coalescer.wait(for: fetch, ticket)
      guard !Task.isCancelled else { throw .cancelled }
      return .restart
    }
  }

  /// The stage as it would be written in code.
  public var stageDescription: String {
    var label = ""
    if case .label(let text) = setting {
      label = PipelineText.unless("", text) { "label: \"\($0)\"" }
    }
    return ".coalesce" + PipelineText.parameters("in: coalescer", label)
  }
}
