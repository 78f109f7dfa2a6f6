import Synchronization

/// Composes the transport of a call from that of the client and its decorators.
///
/// The client's transport is wrapped by its scheduler, second requests, the wait for the network
/// and its demo, then by retries, interceptors, diagnostics, the invalidation of stores, and the
/// registry of running calls. Each attempt takes a permit of its own, and pauses between attempts
/// take none.
final class TransportStack: Sendable {
  /// The clock for all calls.
  let clock: CallClock
  let generator: SharedGenerator
  /// The retry accounts, which policies with equal budgets share.
  private let accounts = Mutex<[RetryBudget: RetryAccounts]>([:])
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

  /// Returns the transport of calls with these choices.
  ///
  /// - Parameters:
  ///   - policy: The policy of repeating the calls; the client's by default.
  ///   - route: The demo's response to the calls; by default that of its own routes.
  ///   - isOfFetch: `true` if the calls are parts of fetches, which are observed as a whole;
  ///     `false` by default.
  /// - Returns: The transport, whose responses update the stores, see
  ///   ``Transport/invalidating(_:coalescer:partition:now:)``, and whose calls the client's
  ///   activity sees.
  func transport(
    retry policy: RetryPolicy? = nil,
    demo route: DemoRoute? = nil,
    isOfFetch: Bool = false
  ) -> any Transport {
    var transport = base
    if let demo = configuration.demo { transport = transport.demo(demo.answering(by: route)) }
    if let policy = policy ?? configuration.retry { transport = retrying(transport, policy) }
    transport = configuration.intercepted(transport)
    if let diagnostics = configuration.diagnostics {
      transport = transport.diagnosed(by: diagnostics)
    }
    transport = configuration.invalidating(transport) ?? transport
    let tracking = CallTracking(activity: activity, lifecycle: lifecycle, isOfFetch: isOfFetch)
    // Descriptions mention an activity that was given.
    return TrackedTransport(transport, by: tracking, isShown: configuration.activity != nil)
  }

  private func retrying(_ base: any Transport, _ policy: RetryPolicy) -> any Transport {
    RetryingTransport(
      base: base,
      policy: policy,
      clock: clock,
      generator: generator,
      now: configuration.now,
      accounts: policy.budget.map(accounts(for:)),
      isDecisive: true
    )
  }

  private func accounts(for budget: RetryBudget) -> RetryAccounts {
    accounts.withLock { accounts in
      let known = accounts[budget] ?? RetryAccounts(budget)
      accounts[budget] = known
      return known
    }
  }
}

extension Client.Configuration {
  /// The transport that is asked for the fields it adds: the other decorators add none.
  var askedTransport: any Transport { intercepted(transport) }

  fileprivate func intercepted(_ transport: any Transport) -> any Transport {
    interceptors.isEmpty
      ? transport : InterceptedTransport(base: transport, interceptors: interceptors)
  }
}
