import Freshet

/// The frames of a picture, each delivered at its time, for views that do not play animations themselves.
///
/// The first frame is delivered immediately, and each following one after the duration of the one before. The
/// sequence ends after the last repetition, or when its reader is cancelled. It drops no frames.
public struct FrameSequence: AsyncSequence, Sendable {
  let picture: Picture
  let clock: any Clock<Duration>

  /// Creates a sequence.
  ///
  /// - Parameters:
  ///   - picture: The picture; one with a single frame has one element, whatever its repetitions are.
  ///   - clock: The clock that measures durations; the system's by default.
  public init(_ picture: Picture, clock: any Clock<Duration> = ContinuousClock()) {
    self.picture = picture
    self.clock = clock
  }

  /// Creates an iterator at the first frame.
  public func makeAsyncIterator() -> Iterator {
    Iterator(sequence: self)
  }

  /// Delivers each frame at its time.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let sequence: FrameSequence
    fileprivate var position = 0

    /// Waits for the next frame; `nil` at the end.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async -> Bitmap? {
      let frames = sequence.picture.frames
      let repetitions = frames.count == 1 ? 1 : sequence.picture.repetitions
      if let repetitions, position / frames.count >= repetitions { return nil }
      if position > 0 {
        let duration = Swift.min(frames[(position - 1) % frames.count].duration, .longestWait)
        guard (try? await sequence.clock.sleep(for: duration)) != nil, !Task.isCancelled
        else { return nil }
      }
      defer { position += 1 }
      return frames[position % frames.count].bitmap
    }
  }
}

@available(*, unavailable)
extension FrameSequence.Iterator: Sendable {}

extension FrameSequence: CustomStringConvertible {
  /// The number of frames and repetitions.
  public var description: String {
    let times = picture.repetitions.map { "\($0) times" } ?? "forever"
    return "\(picture.frames.count) frames, \(times)"
  }
}
