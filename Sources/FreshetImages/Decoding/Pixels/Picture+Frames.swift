extension Duration {
  /// Returns the duration of a frame in parts of a second; as in browsers, one of 10 ms or less becomes
  /// 100 ms.
  static func ofFrame(_ count: Int, perSecond parts: Int = 1_000) -> Duration {
    let duration = Duration.seconds(1) * count / parts
    return duration <= .milliseconds(10) ? .milliseconds(100) : duration
  }
}

extension Picture {
  /// Creates a picture from decoded frames; a single frame is not an animation.
  init(_ frames: [Frame], repetitions: Int?, sourceSize: PixelSize) throws(ImageError) {
    guard let first = frames.first else { throw .damaged("it has no frames") }
    if frames.count == 1 {
      self.init(Frame(first.bitmap), sourceSize: sourceSize)
    } else {
      self.init(
        first,
        others: Array(frames.dropFirst()),
        repetitions: repetitions,
        sourceSize: sourceSize
      )
    }
  }
}
