/// A decoded picture: one frame, or several with their durations.
public struct Picture: Sendable, Hashable {
  /// A frame of a picture.
  public struct Frame: Sendable, Hashable {
    /// The complete picture at this time: frames are already composed.
    public let bitmap: Bitmap
    /// The duration of the frame; zero if the picture has only one.
    public let duration: Duration

    /// Creates a frame.
    public init(_ bitmap: Bitmap, duration: Duration = .zero) {
      self.bitmap = bitmap
      self.duration = duration
    }
  }

  /// The frames, of which there is at least one.
  public let frames: [Frame]
  /// The number of times that the frames are played; `nil` for forever.
  public let repetitions: Int?
  /// The upright size in the file, before the picture was reduced.
  public let sourceSize: PixelSize

  /// Creates a picture.
  ///
  /// - Parameters:
  ///   - first: The first frame.
  ///   - others: The following frames; none by default.
  ///   - repetitions: The number of times that the frames are played; 1 by default, `nil` for forever.
  ///   - sourceSize: The upright size in the file; that of the first frame by default.
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

  /// Creates a picture from one bitmap.
  public init(_ bitmap: Bitmap) {
    self.init(Frame(bitmap))
  }
}

extension Picture {
  /// The bitmap of the first frame.
  public var bitmap: Bitmap { frames[0].bitmap }
  /// The size of each frame.
  public var size: PixelSize { bitmap.size }
  /// A Boolean value that indicates whether there is more than one frame.
  public var isAnimated: Bool { frames.count > 1 }
  /// The memory of its pixels, in bytes.
  public var cost: Int { frames.reduce(0) { $0 + $1.bitmap.pixels.count } }
  /// The duration of all frames, played once.
  public var duration: Duration { frames.reduce(.zero) { $0 + $1.duration } }
}

extension Picture: CustomStringConvertible {
  /// The size and, if there are several, the number of frames.
  public var description: String { isAnimated ? "\(size), \(frames.count) frames" : "\(size)" }
}
