import FreshetEssentials

/// Composes the transport of a call from that of the client and its decorators.
///
/// The client's transport is wrapped by its scheduler, second requests, the wait for the network and its demo, then by retries, interceptors,
/// diagnostics, and the registry of running calls. Each attempt takes a permit of its own, and
/// pauses between attempts take none.
struct TransportStack: Sendable {
  /// The clock for all calls.
  let clock: CallClock
  let generator: SharedGenerator
  private let budgets: RetryBudgets
  private let base: any Transport
  private let configuration: Client.Configuration
  private let activity: ClientActivity
  private let lifecycle: ClientLifecycle

  init(
    _ configuration: Client.Configuration,
    _ activity: ClientActivity,
    _ lifecycle: ClientLifecycle
  ) {
    clock = CallClock(configuration.clock)
    generator = SharedGenerator(configuration.generator)
    budgets = RetryBudgets()
    self.configuration = configuration
    self.activity = activity
    self.lifecycle = lifecycle
    var base: any Transport = ScheduledTransport(
      base: configuration.transport,
      scheduler: configuration.scheduler,
      turns: .eachExchange
    )
    if let policy = configuration.hedging {
      base = HedgedTransport(base: base, policy: policy, clock: clock)
    }
    self.base = ConnectivityTransport(
      base: base,
      connectivity: configuration.connectivity,
      clock: clock
    )
  }

  /// A transport whose calls the client's activity sees.
  ///
  /// - Parameters:
  ///   - transport: The transport inside.
  ///   - isOfFetch: `true` if its calls are parts of fetches, which are observed as a whole; `false` by default.
  /// - Returns: The transport.
  func tracked(_ transport: any Transport, isOfFetch: Bool = false) -> any Transport {
    var tracking = CallTracking(activity: activity, lifecycle: lifecycle)
    tracking.isOfFetch = isOfFetch
    // Descriptions mention an activity that was given.
    return TrackedTransport(transport, by: tracking, isShown: configuration.activity != nil)
  }

  /// The transport of a call that chooses these, before it is tracked.
  func transport(retry: RetryPolicy? = nil, demo route: DemoRoute? = nil) -> any Transport {
    var transport = base
    if let demo = configuration.demo { transport = transport.demo(demo.answering(by: route)) }
    if let policy = retry ?? configuration.retry { transport = retrying(transport, policy) }
    let interceptors = configuration.interceptors
    if !interceptors.isEmpty {
      transport = InterceptedTransport(base: transport, interceptors: interceptors)
    }
    if let diagnostics = configuration.diagnostics {
      transport = transport.diagnosed(by: diagnostics)
    }
    return transport
  }

  private func retrying(_ base: any Transport, _ policy: RetryPolicy) -> any Transport {
    RetryingTransport(
      base: base,
      policy: policy,
      clock: clock,
      generator: generator,
      now: configuration.now,
      accounts: policy.budget.map(budgets.accounts),
      isDecisive: true
    )
  }
}
