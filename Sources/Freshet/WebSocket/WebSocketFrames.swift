import Foundation

/// The frames of one connection of a socket, as the body of its request.
struct WebSocketFrames: AsyncSequence, Sendable {
  typealias Element = Data
  typealias Failure = any Error

  let session: WebSocketSession
  let connection: Int

  func makeAsyncIterator() -> Iterator {
    Iterator(session: session, connection: connection)
  }

  struct Iterator: AsyncIteratorProtocol {
    let session: WebSocketSession
    let connection: Int

    /// Waits for frames, of which small ones are put together.
    mutating func next() async throws -> Data? {
      let (connection, generator) = (connection, session.generator)
      let frames = await session.state.first { state -> Data?? in
        guard state.connection == connection else { return .some(nil) }
        // Nothing is sent before the server has agreed.
        guard state.head != nil, let first = state.outbox.next(generator.bits) else { return nil }
        var frames = first
        while frames.count < Self.share, let next = state.outbox.next(generator.bits) {
          frames.append(next)
        }
        return frames
      }
      return frames ?? nil
    }

    /// The number of bytes from which on no further frame is added.
    private static let share = 16 << 10
  }
}
