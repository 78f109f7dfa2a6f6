public import Foundation

extension AsyncSequence where Self: Sendable, Element == Fetch, Failure == FreshetError {
  /// Fetches what is still `wanted`: yields `progress` while the body arrives, then `downloaded`.
  ///
  /// - The body is pulled: a slow reader slows the socket. Up to the spool's threshold it stays in
  ///   memory, beyond it goes to a file.
  /// - Redirects are followed as the request says.
  /// - When the network or the server fails (a broken connection, a timeout, 500, 502, 503, 504) and
  ///   an earlier stage has left a stale copy that may be used, that copy is the final `resource`.
  /// - A status other than 2xx fails with ``FreshetError/status(_:body:)``, which keeps the first
  ///   64 KiB of the body.
  ///
  /// - Parameters:
  ///   - transport: What touches the network.
  ///   - spool: Where a large body rests while it arrives; the system's temporary folder by default.
  ///   - now: The time that is kept as the response's; the system's by default.
  /// - Returns: The steps, with `progress` and `downloaded` in place of `wanted`.
  public func download(
    over transport: some Transport,
    spool: Spool = .temporary,
    now: @escaping @Sendable () -> Date = { Date() }
  ) -> some AsyncSequence<Fetch, FreshetError> & Sendable {
    DownloadSequence(base: self, transport: transport, spool: spool, now: now)
  }
}

// MARK: - Sequence

/// Without a transport, it forwards everything: an offline chain.
struct DownloadSequence<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Base.Element == Fetch, Base.Failure == FreshetError {
  let base: Base
  let transport: (any Transport)?
  let spool: Spool
  let now: @Sendable () -> Date

  func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator(), transport: transport, spool: spool, now: now)
  }
}

// MARK: - Iterator

extension DownloadSequence {
  struct Iterator: AsyncIteratorProtocol {
    var base: Base.AsyncIterator
    let transport: (any Transport)?
    let spool: Spool
    let now: @Sendable () -> Date
    var reception: Reception?

    init(
      base: Base.AsyncIterator,
      transport: (any Transport)?,
      spool: Spool,
      now: @escaping @Sendable () -> Date
    ) {
      self.base = base
      self.transport = transport
      self.spool = spool
      self.now = now
    }

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> Fetch? {
      if reception != nil {
        if let step = try await reception?.next(isolation: actor) { return step }
        reception = nil
      }
      let step = try await base.next(isolation: actor)
      guard case .wanted(let wanted) = step, let transport else { return step }
      reception = Reception(wanted, over: transport, spool: spool, now: now)
      return try await reception?.next(isolation: actor)
    }
  }
}

@available(*, unavailable)
extension DownloadSequence.Iterator: Sendable {}
