public import FreshetEssentials

extension AsyncSequence where Self: Sendable, Element == Fetch, Failure == FreshetError {
  /// Downloads a resource that is still `wanted`: delivers `progress` while the body arrives, then
  /// `downloaded`.
  ///
  /// - The body is pulled: a slow reader slows the socket. It is in memory up to the spool's threshold,
  ///   and in a file beyond that.
  /// - Redirects are followed as the request says.
  /// - A broken transfer is resumed if there is a strong validator. A partial body in a disk store's
  ///   spool can be resumed by the next fetch too.
  /// - A body that does not match its `Content-Digest` or `Repr-Digest` (RFC 9530) fails with
  ///   ``FreshetError/corrupted(expected:actual:url:)``.
  /// - A request with `only-if-cached` is not sent.
  /// - When the network or the server fails (a broken connection, a timeout, 500, 502, 503, 504) and an
  ///   earlier stage has left a stale copy that may be used, that copy is the final `resource`.
  /// - A status other than 2xx fails with ``FreshetError/status(_:body:)``, which contains the first 64
  ///   KiB of the body. One with a lifetime, such as a 404 with `max-age`, is `downloaded` instead, so
  ///   that stores can store it; ``settle()`` throws it.
  ///
  /// - Parameters:
  ///   - transport: The transport.
  ///   - spool: The folder and limits for large bodies while they arrive; the system's temporary folder
  ///     by default.
  ///   - resumptions: The number of times that a broken transfer is resumed within one iteration; 3 by
  ///     default.
  ///   - now: A closure that returns the current time, for the response; the system's by default.
  /// - Returns: The chain with this stage.
  public func download(
    over transport: some Transport,
    spool: Spool = .temporary,
    resumptions: Int = 3,
    now: @escaping @Sendable () -> Date = { Date() }
  ) -> FetchChain {
    let options = ReceivingOptions(spool: spool, resumptions: resumptions, now: now)
    return appending(Download(over: transport, options))
  }
}

/// Downloads a resource that is still wanted, see
/// ``_Concurrency/AsyncSequence/download(over:spool:resumptions:now:)``.
public struct Download: FetchStage {
  let transport: any Transport
  let options: ReceivingOptions

  init(over transport: any Transport, _ options: ReceivingOptions) {
    self.transport = transport
    self.options = options
  }

  /// Creates the stage; ``_Concurrency/AsyncSequence/download(over:spool:resumptions:now:)`` has more
  /// parameters.
  public init(over transport: some Transport) {
    self.init(over: transport, ReceivingOptions())
  }

  /// The kinds of steps that the stage handles.
  public var handles: Fetch.Kinds { .wanted }

  /// Replies to a step without waiting.
  public func replyNow(to step: Fetch) -> Fetch.Reply? {
    guard case .wanted(let wanted) = step, request(for: step) != nil else { return .pass }
    if let (question, shelf) = options.parts(for: wanted.context) {
      return .source(PartReceiver(wanted, question, over: transport, options, shelf))
    }
    return .source(ResponseReceiver(wanted, over: transport, options))
  }

  /// Returns the request that the stage would send for a step.
  public func request(for step: Fetch) -> Request? {
    guard case .wanted(let wanted) = step, !ReusePolicy.forbidsNetwork(wanted.request) else {
      return nil
    }
    return wanted.request
  }

  /// The stage as it would be written in code.
  public var stageDescription: String { ".download(\(options.wording(over: transport)))" }
}
