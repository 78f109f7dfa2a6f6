extension Client {
  /// The transport of a call, as it is put together by ``TransportStack``, and tracked if somebody looks
  /// on.
  func transport(for options: CallOptions? = nil) -> any Transport {
    var transport = settings.transport
    if let options, options.chooseTransport {
      transport = settings.stack.transport(retry: options.retry, demo: options.demo)
    }
    guard let activity = settings.activity else { return transport }
    return transport.tracked(by: activity)
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
