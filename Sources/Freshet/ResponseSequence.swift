public import FreshetEssentials

/// A request and its response, see ``Client/send(_:limit:)`` and ``Client/send(_:options:)``.
///
/// - Cold: each iteration sends the request again.
/// - It delivers progress (of the upload, then of the body) and one value; then it ends, or it
///   throws once. With ``CallOptions/cache`` a stale response may come before the final one.
/// - Ending or cancelling the iteration cancels the transfer.
public struct ResponseSequence: AsyncSequence, Sendable {
  let source: Source

  enum Source: Sendable {
    case sent(BypassingCall)
    case stored(CachingCall)
  }

  /// Makes an iterator; nothing is sent yet.
  public func makeAsyncIterator() -> Iterator {
    switch source {
    case .sent(let call): Iterator(sent: call.makeAsyncIterator(), stored: nil)
    case .stored(let call): Iterator(sent: nil, stored: call.makeAsyncIterator())
    }
  }

  /// Pulls the events of one call.
  public struct Iterator: AsyncIteratorProtocol {
    // Two optionals instead of an enumeration, whose payload, the body included, would be copied by
    // each change.
    var sent: BypassingCall.Iterator?
    var stored: CachingCall.Iterator?

    /// Waits for the next event; `nil` after the response, and after it has thrown.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> Event<Response<Data>>? {
      guard sent == nil else { return try await sent?.next(isolation: actor) }
      return try await stored?.next(isolation: actor)
    }
  }
}

extension ResponseSequence {
  /// The response, which each read requests again.
  ///
  /// - Throws: The failure of the call; ``FreshetError/noValue`` if it ends without a response.
  public var value: Response<Data> {
    get async throws(FreshetError) {
      switch source {
      case .sent(let call): return try await call.response()
      case .stored(let call): return try await call.value
      }
    }
  }
}

@available(*, unavailable)
extension ResponseSequence.Iterator: Sendable {}

extension ResponseSequence: PipelineDescribable, CustomStringConvertible {
  /// The request, and its way to the network or through the stores.
  package var words: PipelineDescription {
    switch source {
    case .sent(let call): call.words
    case .stored(let call): call.words
    }
  }
}
