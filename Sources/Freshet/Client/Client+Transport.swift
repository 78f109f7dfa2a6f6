extension Client {
  /// Returns the transport of a call, whose responses update the stores, see
  /// ``Transport/invalidating(_:coalescer:partition:now:)``; the client's own unless the call
  /// requires another.
  ///
  /// - Parameters:
  ///   - options: The options of the call; `nil` for the client's own.
  ///   - isOfFetch: `true` if the call is a part of a fetch, which is observed as a whole; `false` by default.
  /// - Returns: The transport.
  func transport(for options: CallOptions? = nil, isOfFetch: Bool = false) -> any Transport {
    guard let options, options.chooseTransport else { return settings.transport }
    let bare = settings.stack.transport(retry: options.retry, demo: options.demo)
    return settings.stack.tracked(settings.configuration.invalidating(bare), isOfFetch: isOfFetch)
  }
}

extension Client.Configuration {
  /// Starts a task that applies the removals of other processes to the stores of this one.
  func applyingRemovals() -> Task<Void, Never>? {
    guard let removals = shared?.removals else { return nil }
    return Task { [memory, disk, coalescer] in
      for await removal in removals {
        await memory?.apply(removal)
        await disk?.apply(removal)
        // Afterwards: a fetch that missed the stores before this could join one that is detached here.
        if case .invalidated(let key, _) = removal { coalescer?.detach(coveredBy: key) }
      }
    }
  }

  /// Returns a transport whose responses update the client's stores.
  func invalidating(_ transport: any Transport) -> any Transport {
    var sources: [any ResourceSource] = []
    if let seeds { sources.append(seeds) }
    // Before the memory, which would otherwise keep a copy that a lookup had just found here.
    if let shared { sources.append(shared) }
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
