extension Client {
  /// Returns the transport of a call: the client's own unless the call requires another.
  ///
  /// - Parameters:
  ///   - options: The options of the call.
  ///   - isOfFetch: `true` if the call is a part of a fetch, which is observed as a whole; `false` by default.
  /// - Returns: The transport.
  func transport(for options: CallOptions, isOfFetch: Bool = false) -> any Transport {
    guard options.chooseTransport else { return settings.transport }
    return settings.stack.transport(retry: options.retry, demo: options.demo, isOfFetch: isOfFetch)
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

  /// Returns a transport whose responses update the client's stores; `nil` if there is nothing to
  /// update.
  func invalidating(_ transport: any Transport) -> InvalidatingTransport? {
    var sources: [any ResourceSource] = []
    if let seeds { sources.append(seeds) }
    // Before the memory, which would otherwise keep a copy that a lookup had just found here.
    if let shared { sources.append(shared) }
    if let memory { sources.append(memory) }
    if let disk { sources.append(disk) }
    guard !sources.isEmpty || coalescer != nil else { return nil }
    return InvalidatingTransport(
      base: transport,
      sources: sources,
      coalescer: coalescer,
      partition: partition,
      now: now
    )
  }
}
