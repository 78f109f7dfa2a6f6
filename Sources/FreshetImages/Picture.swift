/// A decoded picture: one frame, or several with their durations.
public struct Picture: Sendable, Hashable {
  /// One frame.
  public struct Frame: Sendable, Hashable {
    /// What it shows, whole: frames are composed.
    public let bitmap: Bitmap
    /// How long it stays; zero if the picture has one frame.
    public let duration: Duration

    /// Makes a frame.
    public init(_ bitmap: Bitmap, duration: Duration = .zero) {
      self.bitmap = bitmap
      self.duration = duration
    }
  }

  /// The frames, at least one.
  public let frames: [Frame]
  /// How often the frames are played; `nil` for ever.
  public let repetitions: Int?
  /// The size in the file, upright, before it was reduced.
  public let sourceSize: PixelSize

  /// Makes a picture.
  ///
  /// - Parameters:
  ///   - first: The first frame.
  ///   - others: Those that follow; none by default.
  ///   - repetitions: How often they are played; 1 by default, `nil` for ever.
  ///   - sourceSize: The size in the file; that of the first frame by default.
  public init(
    _ first: Frame,
    others: [Frame] = [],
    repetitions: Int? = 1,
    sourceSize: PixelSize? = nil
  ) {
    frames = [first] + others
    self.repetitions = repetitions
    self.sourceSize = sourceSize ?? first.bitmap.size
  }

  /// Makes a picture of one bitmap.
  public init(_ bitmap: Bitmap) {
    self.init(Frame(bitmap))
  }
}

extension Picture {
  /// The first frame's bitmap.
  public var bitmap: Bitmap { frames[0].bitmap }
  /// The size of each frame.
  public var size: PixelSize { bitmap.size }
  /// Whether there is more than one frame.
  public var isAnimated: Bool { frames.count > 1 }
  /// What it costs in memory, in bytes.
  public var cost: Int { frames.reduce(0) { $0 + $1.bitmap.pixels.count } }
  /// How long all frames take once.
  public var duration: Duration { frames.reduce(.zero) { $0 + $1.duration } }
}

extension Picture: CustomStringConvertible {
  /// The size and, if there are several, the number of frames.
  public var description: String {
    isAnimated ? "\(size), \(frames.count) frames" : "\(size)"
  }
}
