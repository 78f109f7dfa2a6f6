import Foundation

/// Builds the transport of a call.
///
/// The client's transport is wrapped by its scheduler and its demo, then by retries, interceptors,
/// diagnostics, and the registry of running calls. Each attempt takes a permit of its own, and
/// pauses between attempts take none.
struct TransportStack: Sendable {
  /// The clock for all calls.
  let clock: CallClock
  let generator: SharedGenerator
  private let budgets: RetryBudgets
  private let base: any Transport
  private let demo: DemoTransport?
  private let retry: RetryPolicy?
  private let now: @Sendable () -> Date
  private let interceptors: [any Interceptor]
  private let diagnostics: Diagnostics?
  private let activity: ClientActivity

  init(_ configuration: Client.Configuration, _ activity: ClientActivity) {
    clock = CallClock(configuration.clock)
    generator = SharedGenerator(configuration.generator)
    budgets = RetryBudgets()
    self.activity = activity
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

  /// Returns the transport of a call with its own retry policy and demo route.
  func transport(retry: RetryPolicy? = nil, demo route: DemoRoute? = nil) -> any Transport {
    var transport = base
    if let demo { transport = transport.demo(demo.answering(by: route)) }
    if let policy = retry ?? self.retry { transport = retrying(transport, policy) }
    if !interceptors.isEmpty {
      transport = InterceptedTransport(base: transport, interceptors: interceptors)
    }
    if let diagnostics { transport = transport.diagnosed(by: diagnostics) }
    return ActivityTransport(base: transport, activity: activity)
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

/// Registers a client's calls, once its ``Client/activity`` has been read.
private struct ActivityTransport: Transport {
  let base: any Transport
  let activity: ClientActivity

  func send(_ request: Request) -> Transfer {
    guard let activity = activity.current else { return base.send(request) }
    return base.tracked(by: activity).send(request)
  }

  func addedFields(for request: Request) -> HTTPHeaders { base.addedFields(for: request) }
}

extension ActivityTransport: PipelineStage {
  var stageDescription: String { activity.current == nil ? "" : ".tracked()" }
}
