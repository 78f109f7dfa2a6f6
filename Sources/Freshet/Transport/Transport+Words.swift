// The names of transports in descriptions of pipelines. A decorator is a stage, see `PipelineStage`;
// one without a description of its own is shown by the name of its type.

extension DefaultTransport: Worded {
  package var words: PipelineWords { PipelineWords("network") }
}

extension DemoTransport: Worded {
  package var words: PipelineWords { PipelineWords("demo") }
}

extension ReplayTransport: Worded {
  package var words: PipelineWords { PipelineWords("replay") }
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
      + Wording.parameters(
        Wording.unless(usual.total, limits.total, "total"),
        Wording.unless(usual.perHost, limits.perHost, "perHost"),
        Wording.unless(usual.background, limits.background, "background"),
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

extension WitnessedTransport: PipelineStage {
  var stageDescription: String { ".\(name)()" }
}

extension CookieTransport: PipelineStage {
  var stageDescription: String { ".storingCookies()" }
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
