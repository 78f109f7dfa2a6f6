public import FreshetEssentials

extension AsyncSequence where Self: Sendable, Element == Fetch, Failure == FreshetError {
  /// Asks the origin whether an `expired` copy is still valid.
  ///
  /// - If it is: `downloaded` with the same body and the origin's new headers (RFC 9111 section 4.3.4).
  /// - If it has changed: ``Revalidation/conditional`` receives the new body with the same request, as
  ///   ``download(over:spool:resumptions:now:)`` does; the other methods leave `wanted` to the
  ///   following stages.
  /// - If the network or the server fails and the copy may be used stale, it is the final `resource`;
  ///   its lifetime is not extended.
  ///
  /// - Parameters:
  ///   - revalidation: The method of revalidation; a conditional GET by default.
  ///   - transport: The transport.
  ///   - spool: The folder and limits for a large new body while it arrives; the system's temporary
  ///     folder by default.
  ///   - resumptions: The number of times that a broken transfer is resumed within one iteration; 3 by
  ///     default.
  ///   - now: A closure that returns the current time, for the response; the system's by default.
  /// - Returns: The chain with this stage.
  public func revalidate(
    _ revalidation: Revalidation = .conditional,
    over transport: some Transport,
    spool: Spool = .temporary,
    resumptions: Int = 3,
    now: @escaping @Sendable () -> Date = { Date() }
  ) -> FetchChain {
    let options = ReceivingOptions(spool: spool, resumptions: resumptions, now: now)
    return appending(Revalidate(revalidation, over: transport, options))
  }
}

/// Revalidates an expired copy, see ``_Concurrency/AsyncSequence/revalidate(_:over:spool:resumptions:now:)``.
public struct Revalidate: FetchStage {
  let revalidation: Revalidation
  let transport: any Transport
  let options: ReceivingOptions

  init(_ revalidation: Revalidation, over transport: any Transport, _ options: ReceivingOptions) {
    self.revalidation = revalidation
    self.transport = transport
    self.options = options
  }

  /// Creates the stage; ``_Concurrency/AsyncSequence/revalidate(_:over:spool:resumptions:now:)`` has
  /// more parameters.
  public init(_ revalidation: Revalidation = .conditional, over transport: some Transport) {
    self.init(revalidation, over: transport, ReceivingOptions())
  }

  /// The kinds of steps that the stage handles.
  public var handles: Fetch.Kinds { .expired }

  /// Replies to a step without waiting.
  public func replyNow(to step: Fetch) -> Fetch.Reply? {
    guard case .expired(let expired) = step else { return .pass }
    switch question(about: expired) {
    case .none(let reason):
      return .step(.wanted(expired.superseded(because: reason)))
    case .conditional(let request):
      let wanted = expired.superseded(because: .validating(.conditional))
      return .source(
        ResponseReceiver(wanted, validatingBy: request, over: transport, options)
      )
    case .head:
      return nil
    }
  }

  /// Replies to a step.
  public func reply(to step: Fetch) async throws(FreshetError) -> Fetch.Reply {
    guard case .expired(let expired) = step else { return .pass }
    return .step(try await compareHead(with: expired))
  }

  /// Returns the request that the stage would send for a step.
  public func request(for step: Fetch) -> Request? {
    guard case .expired(let expired) = step else { return nil }
    return switch question(about: expired) {
    case .none: nil
    case .conditional(let request): request
    case .head: Validation.head(expired.request)
    }
  }

  /// The stage as it would be written in code.
  public var stageDescription: String {
    ".revalidate(.\(revalidation.rawValue), \(options.wording(over: transport)))"
  }
}

extension Revalidate {
  /// The kind of request for a copy.
  private enum Question {
    case conditional(Request)
    case head
    /// No request: the resource is downloaded again.
    case none(because: Decision?)
  }

  private func question(about expired: Fetch.Expired) -> Question {
    switch revalidation {
    case .none:
      return .none(because: nil)
    case .head where expired.response.head.status == .partialContent:
      return .none(because: .withoutValidator)
    case .head where expired.request.isIdentifiedWhole:
      return .none(because: nil)
    case .head:
      return .head
    case .conditional:
      let request = Validation.conditional(expired.request, for: expired.response)
      return request.map(Question.conditional) ?? .none(because: .withoutValidator)
    }
  }
}
