extension ResourceSequence {
  /// How a fetch goes on that needs more than its start.
  enum Way {
    /// Through all stages.
    case staged(Chain)
    /// The short way, see ``LedFetch``.
    case led(LedFetch)
  }

  /// The short way, where a host leads a first download; all stages otherwise.
  func way(after start: consuming Start) throws(FreshetError) -> Way {
    let start = confirmed(start)
    if let host, let flights, isMissing(after: start), policy.expected == nil,
      FlightKey.isShareable(context.request), !ReusePolicy.forbidsNetwork(context.request),
      let transport = network
    {
      guard host.beginBoarding() else { throw .cancelled }
      let departure = Fetch.Departure(start.wanted, setting: .choices(choices))
      let since = start.since ?? flights.landings
      let boarding = flights.board(departure, since: since, host: host)
      if case .leads(let place) = boarding {
        let stages = ledStages
        let reception = Reception(departure.wanted, over: transport, stages.tools)
        return .led(LedFetch(place, by: host, reception, stages))
      }
      host.leadNone()
      var iterator = stages(after: start).makeAsyncIterator()
      iterator.base.boarding = boarding
      return .staged(Chain(iterator))
    }
    return .staged(Chain(stages(after: start).makeAsyncIterator()))
  }

  private var ledStages: LedStages {
    if let stages = choices.led.load() { return stages }
    let stages = LedStages(
      // Each fetch receives once, which is a call of its own.
      tools(over: nil, scope: nil),
      disk: disk,
      memory: memory,
      policy.expiry
    )
    return choices.led.storeIfNil(stages)
  }
}

extension ResourceSequence.Way {
  func next(
    isolation actor: isolated (any Actor)?
  ) async throws(FreshetError) -> Event<Resource>? {
    switch self {
    case .staged(let chain): try await chain.next(isolation: actor)
    case .led(let fetch): try await fetch.next(isolation: actor)
    }
  }

  /// The final resource.
  func value() async throws(FreshetError) -> Resource {
    var last: Resource?
    while let event = try await next(isolation: #isolation) {
      if case .value(let resource) = event {
        if resource.isFinal { return resource }
        last = resource
      }
    }
    guard let last else { throw .noValue }
    return last
  }
}
