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
  ///   - transport: What touches the network.
  ///   - spool: Where a large body rests while it arrives; the system's temporary folder by default.
  ///   - resumptions: How often a broken transfer is taken up within one iteration; 3 by default.
  ///   - now: The time that is kept as the response's; the system's by default.
  /// - Returns: The steps, with `progress` and `downloaded` in place of `wanted`.
  public func download(
    over transport: some Transport,
    spool: Spool = .temporary,
    resumptions: Int = 3,
    now: @escaping @Sendable () -> Date = { Date() }
  ) -> some AsyncSequence<Fetch, FreshetError> & Sendable {
    let tools = ReceptionTools(
      transport: transport,
      spool: spool,
      resumptions: resumptions,
      now: now
    )
    return DownloadSequence(base: self, tools: tools)
  }
}

// MARK: - Sequence

/// Without a transport, it forwards everything: an offline chain.
struct DownloadSequence<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Base.Element == Fetch, Base.Failure == FreshetError {
  let base: Base
  let tools: ReceptionTools

  func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator(), tools: tools)
  }
}

// MARK: - Iterator

extension DownloadSequence {
  struct Iterator: AsyncIteratorProtocol {
    var base: Base.AsyncIterator
    let tools: ReceptionTools
    var reception: Reception?

    init(base: Base.AsyncIterator, tools: ReceptionTools) {
      self.base = base
      self.tools = tools
    }

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> Fetch? {
      if reception != nil {
        if let step = try await reception?.next(isolation: actor) { return step }
        reception = nil
      }
      let step = try await base.next(isolation: actor)
      guard case .wanted(let wanted) = step, let transport = tools.transport,
        !ReusePolicy.forbidsNetwork(wanted.request)
      else { return step }
      reception = Reception(wanted, over: transport, tools)
      return try await reception?.next(isolation: actor)
    }
  }
}

@available(*, unavailable)
extension DownloadSequence.Iterator: Sendable {}

// MARK: - Description

extension DownloadSequence: PipelineStage {
  var stageDescription: String { tools.wording.map { ".download(\($0))" } ?? "" }
}
