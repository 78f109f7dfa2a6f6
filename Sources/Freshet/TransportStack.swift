import Foundation

/// Puts the transport of a call together: the client's, behind its scheduler and its demo, with the
/// retries around, then what stands around the whole call, and what diagnoses it.
///
/// An attempt has a turn of its own, and pauses between attempts take none.
struct TransportStack: Sendable {
  /// Refilled as it goes: one for all calls.
  let clock: CallClock
  let generator: SharedGenerator
  private let budgets: RetryBudgets
  private let base: any Transport
  private let demo: DemoTransport?
  private let retry: RetryPolicy?
  private let now: @Sendable () -> Date
  private let interceptors: [any Interceptor]
  private let diagnostics: Diagnostics?

  /// `other` is one whose budgets, clock and generator this one shares.
  init(_ configuration: Client.Configuration, sharing other: TransportStack? = nil) {
    clock = other?.clock ?? CallClock(configuration.clock)
    generator = other?.generator ?? SharedGenerator(configuration.generator)
    budgets = other?.budgets ?? RetryBudgets()
    base = ScheduledTransport(
      base: configuration.transport,
      scheduler: configuration.scheduler,
      turns: .eachExchange
    )
    demo = configuration.demo
    retry = configuration.retry
    now = configuration.now
    interceptors = configuration.interceptors
    diagnostics = configuration.diagnostics
  }

  /// The transport of a call that chooses these.
  func transport(retry: RetryPolicy? = nil, demo route: DemoRoute? = nil) -> any Transport {
    var transport = base
    if let demo { transport = transport.demo(demo.answering(by: route)) }
    if let policy = retry ?? self.retry { transport = retrying(transport, policy) }
    if !interceptors.isEmpty {
      transport = InterceptedTransport(base: transport, interceptors: interceptors)
    }
    if let diagnostics { transport = transport.diagnosed(by: diagnostics) }
    return transport
  }

  private func retrying(_ base: any Transport, _ policy: RetryPolicy) -> any Transport {
    RetryingTransport(
      base: base,
      policy: policy,
      clock: clock,
      generator: generator,
      now: now,
      accounts: policy.budget.map(budgets.accounts),
      isDecisive: true
    )
  }
}
