import FreshetEssentials

/// The frames of a connection, as the body of its request.
extension WebSocketSession {
  private enum FrameStep: Sendable {
    case frames(Data)
    /// The next message has to be compressed, which is done outside of the lock.
    case compress(Data)
  }

  /// Waits for frames, of which small ones are put together; `nil` if there is another connection by now.
  func nextFrames(_ connection: Int) async -> Data? {
    while true {
      switch await frameStep(connection) {
      case .frames(let frames): return frames
      case .compress(let payload):
        let compressed = WebSocketDeflate.deflate(payload)
        state.update { state in
          guard state.connection == connection else { return }
          state.outbox.useCompressed(compressed)
        }
      case nil: return nil
      }
    }
  }

  private func frameStep(_ connection: Int) async -> FrameStep? {
    // Frames that a cancelled attempt takes would be lost.
    guard !Task.isCancelled else { return nil }
    return await state.first { [generator] state -> FrameStep?? in
      guard state.connection == connection else { return .some(nil) }
      // Nothing is sent before the server has agreed.
      guard state.head != nil else { return nil }
      if let payload = state.outbox.uncompressed { return .compress(payload) }
      guard var frames = state.outbox.next(generator.next) else { return nil }
      while frames.count < Self.frameShare, state.outbox.uncompressed == nil,
        let next = state.outbox.next(generator.next)
      {
        frames.append(next)
      }
      return .frames(frames)
    } ?? nil
  }

  /// The number of bytes from which on no further frame is added.
  private static let frameShare = 16 << 10
}
