/// The frames of a picture at their time: what a shell without animations of its own plays.
///
/// The first is there at once, and each stays for its duration. It ends after the last repetition, or
/// when its reader is cancelled. It holds one sleep at a time and drops no frame.
public struct FrameSequence: AsyncSequence, Sendable {
  let picture: Picture
  let clock: any Clock<Duration>

  /// Makes a sequence.
  ///
  /// - Parameters:
  ///   - picture: The picture; one of a single frame has one element, whatever its repetitions.
  ///   - clock: What durations are waited on; the system's by default.
  public init(_ picture: Picture, clock: any Clock<Duration> = ContinuousClock()) {
    self.picture = picture
    self.clock = clock
  }

  /// Makes an iterator at the first frame.
  public func makeAsyncIterator() -> Iterator {
    Iterator(sequence: self)
  }

  /// Waits for the time of each frame.
  public struct Iterator: AsyncIteratorProtocol {
    let sequence: FrameSequence
    private var position = 0

    init(sequence: FrameSequence) {
      self.sequence = sequence
    }

    /// Waits for the next frame; `nil` at the end.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async -> Bitmap? {
      let frames = sequence.picture.frames
      let repetitions = frames.count == 1 ? 1 : sequence.picture.repetitions
      if let repetitions, position / frames.count >= repetitions { return nil }
      if position > 0 {
        let last = frames[(position - 1) % frames.count]
        guard (try? await sequence.clock.sleep(for: last.duration)) != nil, !Task.isCancelled
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
  /// How many frames there are, and how often they are played.
  public var description: String {
    let times = picture.repetitions.map { "\($0) times" } ?? "for ever"
    return "\(picture.frames.count) frames, \(times)"
  }
}
