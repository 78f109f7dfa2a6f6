public import Foundation

extension AsyncSequence where Self: Sendable, Element == Fetch, Failure == FreshetError {
  /// Fetches what is still `wanted`: yields `progress` while the body arrives, then `downloaded`.
  ///
  /// - The body is pulled: a slow reader slows the socket. Up to the spool's threshold it stays in
  ///   memory, beyond it goes to a file.
  /// - Redirects are followed as the request says.
  /// - A transfer that breaks is taken up where it broke, if a strong validator tells that the rest
  ///   belongs to what is there; what a disk store's spool keeps, by the next fetch too.
  /// - A body whose `Content-Digest` or `Repr-Digest` (RFC 9530) is not its own fails with
  ///   ``FreshetError/corrupted(expected:actual:url:)``.
  /// - A request with `only-if-cached` is not sent.
  /// - When the network or the server fails (a broken connection, a timeout, 500, 502, 503, 504) and
  ///   an earlier stage has left a stale copy that may be used, that copy is the final `resource`.
  /// - A status other than 2xx fails with ``FreshetError/status(_:body:)``, which keeps the first
  ///   64 KiB of the body. One that says for how long it holds, such as a 404 with `max-age`, is
  ///   `downloaded`, so that stores can keep it; ``settle()`` makes the failure of it.
  ///
  /// - Parameters:
  ///   - transport: The transport.
  ///   - spool: The place of a large body while it arrives; the system's temporary folder by default.
  ///   - resumptions: The number of times that a broken transfer is resumed within one iteration; 3 by default.
  ///   - now: The time that is kept as the response's; the system's by default.
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

/// Fetches what is still wanted, see
/// ``_Concurrency/AsyncSequence/download(over:spool:resumptions:now:)``.
public struct Download: FetchStage {
  let transport: any Transport
  let options: ReceivingOptions

  init(over transport: any Transport, _ options: ReceivingOptions) {
    self.transport = transport
    self.options = options
  }

  /// Makes the stage; ``_Concurrency/AsyncSequence/download(over:spool:resumptions:now:)`` has more
  /// parameters.
  public init(over transport: some Transport) {
    self.init(over: transport, ReceivingOptions())
  }

  /// The kinds of step that the stage handles.
  public var handles: Fetch.Kinds { .wanted }

  /// Replies to a step without waiting.
  public func replyNow(to step: Fetch) -> Fetch.Reply? {
    guard case .wanted(let wanted) = step, request(for: step) != nil else { return .pass }
    if wanted.request.headers.contains(.range), let question = PartQuestion(wanted.request),
      let shelf = options.spool.parts
    {
      return .source(PartReceiver(wanted, question, over: transport, options, shelf))
    }
    return .source(ResponseReceiver(wanted, over: transport, options))
  }

  /// The request that the stage would send for a step.
  public func request(for step: Fetch) -> Request? {
    guard case .wanted(let wanted) = step, !ReusePolicy.forbidsNetwork(wanted.request) else {
      return nil
    }
    return wanted.request
  }

  /// The stage as it is written.
  public var stageDescription: String { ".download(\(options.wording(over: transport)))" }
}
