import FreshetEssentials

/// The bytes that an app writes to a duplex stream, as the body of its request.
struct DuplexBody: AsyncSequence, Sendable {
  typealias Element = Data
  typealias Failure = any Error

  /// The session; `nil` once nobody uses it.
  let session: DuplexSession?

  func makeAsyncIterator() -> Iterator {
    Iterator(session: session)
  }

  struct Iterator: AsyncIteratorProtocol {
    let session: DuplexSession?

    mutating func next() async throws -> Data? {
      guard let session else { throw FreshetError.cancelled }
      return try await session.nextPart()
    }
  }
}
