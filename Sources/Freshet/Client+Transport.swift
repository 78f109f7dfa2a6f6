extension Client {
  /// The transport of a call: the client's, behind its demo, with the call's retries around.
  func transport(for options: CallOptions = CallOptions()) -> any Transport {
    var transport = configuration.transport
    if let demo = configuration.demo {
      transport = transport.demo(demo.answering(by: options.demo))
    }
    guard let policy = options.retry ?? configuration.retry else { return transport }
    return RetryingTransport(
      base: transport,
      policy: policy,
      clock: CallClock(configuration.clock),
      generator: SharedGenerator(SystemRandomNumberGenerator()),
      now: configuration.now,
      accounts: policy.budget.map { budgets.accounts(for: $0) },
      isDecisive: true
    )
  }
}
