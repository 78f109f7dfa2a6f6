public import Foundation

/// A request and its response, see ``Client/send(_:limit:)`` and ``Client/send(_:options:)``.
///
/// - Cold: each iteration sends the request anew.
/// - Delivers progress (of the upload, then of the body) and one value; then it ends, or it throws
///   once. With ``CallOptions/cache`` a stale response may come before the final one.
/// - Ending or cancelling the iteration cancels the transfer.
public struct ResponseSequence: AsyncSequence, Sendable {
  let source: Source

  enum Source: Sendable {
    case sent(SentCall)
    case stored(StoredCall)
  }

  /// Makes an iterator; nothing is sent yet.
  public func makeAsyncIterator() -> Iterator {
    switch source {
    case .sent(let call): Iterator(source: .sent(call.makeAsyncIterator()))
    case .stored(let call): Iterator(source: .stored(call.makeAsyncIterator()))
    }
  }

  /// Pulls the events of one call.
  public struct Iterator: AsyncIteratorProtocol {
    enum Source {
      case sent(SentCall.Iterator)
      case stored(StoredCall.Iterator)
    }

    var source: Source

    /// Waits for the next event; `nil` after the response, and after it has thrown.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> Event<Response<Data>>? {
      switch source {
      case .sent(var call):
        defer { source = .sent(call) }
        return try await call.next(isolation: actor)
      case .stored(var call):
        defer { source = .stored(call) }
        return try await call.next(isolation: actor)
      }
    }
  }
}

@available(*, unavailable)
extension ResponseSequence.Iterator: Sendable {}
