extension Client {
  /// The transport of a call that stores learn from, see ``Transport/invalidating(_:coalescer:partition:now:)``;
  /// the client's own unless the call chooses another.
  func transport(for options: CallOptions? = nil) -> any Transport {
    guard let options, options.chooseTransport else { return settings.transport }
    return settings.configuration.invalidating(
      settings.stack.transport(retry: options.retry, demo: options.demo)
    )
  }
}

extension Client.Configuration {
  /// A transport that keeps the client's stores right about what passes.
  func invalidating(_ transport: any Transport) -> any Transport {
    var sources: [any ResourceSource] = []
    if let seeds { sources.append(seeds) }
    if let memory { sources.append(memory) }
    if let disk { sources.append(disk) }
    guard !sources.isEmpty || coalescer != nil else { return transport }
    return InvalidatingTransport(
      base: transport,
      sources: sources,
      coalescer: coalescer,
      partition: partition,
      now: now
    )
  }
}
