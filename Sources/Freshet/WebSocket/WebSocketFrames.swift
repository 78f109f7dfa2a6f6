import FreshetEssentials

/// The frames of one connection of a socket, as the body of its request.
struct WebSocketFrames: AsyncSequence, Sendable {
  typealias Element = Data
  typealias Failure = any Error

  /// The session; `nil` once nobody uses it.
  let session: WebSocketSession?
  let connection: Int

  func makeAsyncIterator() -> Iterator {
    Iterator(session: session, connection: connection)
  }

  struct Iterator: AsyncIteratorProtocol {
    let session: WebSocketSession?
    let connection: Int

    private enum Step: Sendable {
      case frames(Data)
      /// The next message has to be compressed, which is done outside of the lock.
      case compress(Data)
    }

    /// Waits for frames, of which small ones are put together.
    mutating func next() async throws -> Data? {
      guard let session else { throw FreshetError.cancelled }
      while true {
        switch await step(of: session) {
        case .frames(let frames): return frames
        case .compress(let payload):
          let compressed = WebSocketDeflate.deflate(payload)
          session.state.update { [connection] state in
            guard state.connection == connection else { return }
            state.outbox.useCompressed(compressed)
          }
        case nil: return nil
        }
      }
    }

    private func step(of session: WebSocketSession) async -> Step? {
      // Frames that a cancelled attempt takes would be lost.
      guard !Task.isCancelled else { return nil }
      let (connection, generator) = (connection, session.generator)
      return await session.state.first { state -> Step?? in
        guard state.connection == connection else { return .some(nil) }
        // Nothing is sent before the server has agreed.
        guard state.head != nil else { return nil }
        if let payload = state.outbox.uncompressed { return .compress(payload) }
        guard var frames = state.outbox.next(generator.next) else { return nil }
        while frames.count < Self.share, state.outbox.uncompressed == nil,
          let next = state.outbox.next(generator.next)
        {
          frames.append(next)
        }
        return .frames(frames)
      } ?? nil
    }

    /// The number of bytes from which on no further frame is added.
    private static let share = 16 << 10
  }
}
