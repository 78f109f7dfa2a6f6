extension Client {
  /// The transport of a call: the client's, behind its scheduler and its demo, with the call's
  /// retries around, then what stands around the whole call, and seen by those who look on.
  ///
  /// An attempt has a turn of its own, and pauses between attempts take none.
  func transport(for options: CallOptions? = nil) -> any Transport {
    let interceptors = settings.configuration.interceptors
    var transport = retryingTransport(for: options)
    if !interceptors.isEmpty {
      transport = InterceptedTransport(base: transport, interceptors: interceptors)
    }
    if let diagnostics = settings.configuration.diagnostics {
      transport = transport.diagnosed(by: diagnostics)
    }
    guard let activity = settings.activity else { return transport }
    return transport.tracked(by: activity)
  }

  private func retryingTransport(for options: CallOptions?) -> any Transport {
    var transport = settings.scheduledTransport
    if let demo = settings.configuration.demo {
      transport = transport.demo(demo.answering(by: options?.demo))
    }
    guard let policy = options?.retry ?? settings.configuration.retry else { return transport }
    return RetryingTransport(
      base: transport,
      policy: policy,
      clock: settings.callClock,
      generator: settings.generator,
      now: settings.configuration.now,
      accounts: policy.budget.map { settings.budgets.accounts(for: $0) },
      isDecisive: true
    )
  }

  /// The same for a fetch of a resource.
  func resourceTransport(
    for request: Request,
    _ options: CallOptions? = nil
  ) -> any Transport {
    // A `GET` changes nothing that the chain does not keep itself.
    request.method == .get ? transport(for: options) : coherentTransport(for: options)
  }

  /// The same for what a store may not answer: it keeps the stores right about what passes.
  func coherentTransport(for options: CallOptions? = nil) -> any Transport {
    let configuration = settings.configuration
    var sources: [any ResourceSource] = []
    if let seeds = configuration.seeds { sources.append(seeds) }
    if let memory = configuration.memory { sources.append(memory) }
    if let disk = configuration.disk { sources.append(disk) }
    let transport = transport(for: options)
    let flights = configuration.flights
    guard !sources.isEmpty || flights != nil else { return transport }
    return CoherentTransport(
      base: transport,
      sources: sources,
      flights: flights,
      partition: configuration.partition,
      now: configuration.now
    )
  }
}
