// The names of transports in descriptions of pipelines. A decorator is a stage, see `PipelineStage`;
// one without a description of its own is shown by the name of its type.

extension DefaultTransport: PipelineDescribable {
  package var words: PipelineDescription { PipelineDescription("network") }
}

extension DemoTransport: PipelineDescribable {
  package var words: PipelineDescription { PipelineDescription("demo") }
}

extension ReplayTransport: PipelineDescribable {
  package var words: PipelineDescription { PipelineDescription("replay") }
}

extension RetryingTransport: PipelineStage {
  var stageDescription: String {
    let retries = policy == .standard ? ".standard" : "maximumRetries: \(policy.maximumRetries)"
    return ".retrying(\(retries))"
  }
}

extension ScheduledTransport: PipelineStage {
  /// The limits that differ from the default; empty if there are none.
  var stageDescription: String {
    let (usual, limits) = (RequestLimits(), scheduler.limits)
    guard limits != usual else { return "" }
    return ".limited"
      + PipelineText.parameters(
        PipelineText.unless(usual.total, limits.total, "total"),
        PipelineText.unless(usual.perHost, limits.perHost, "perHost"),
        PipelineText.unless(usual.background, limits.background, "background"),
        limits.rate.map { "rate: \($0.perSecond) a second" } ?? ""
      )
  }
}

extension AuthenticatedTransport: PipelineStage {}

extension InterceptedTransport: PipelineStage {
  var stageDescription: String {
    ".intercepted(by: \(interceptors.map { "\(type(of: $0))" }.joined(separator: ", ")))"
  }
}

extension ObservedTransport: PipelineStage {
  var stageDescription: String { ".\(name)()" }
}

extension ConnectivityTransport: PipelineStage {
  /// Empty, because it only acts on requests that say so.
  var stageDescription: String { "" }
}

extension TrackedTransport: PipelineStage {
  var stageDescription: String { isShown ? ".tracked()" : "" }
}

extension DemoFallthrough: PipelineStage {
  var stageDescription: String { ".demo()" }
}

extension InvalidatingTransport: PipelineStage {
  /// Empty, because it does not change the response.
  var stageDescription: String { "" }
}
