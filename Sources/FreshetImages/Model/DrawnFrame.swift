import Freshet

/// A frame to draw at its time, with the look of its image.
struct DrawnFrame: Sendable {
  let look: ImageLook
  let bitmap: Bitmap
}

extension ImageContent {
  /// Returns the bitmap to draw: the frame if it belongs to this image, otherwise the first frame.
  func bitmap(at frame: DrawnFrame?) -> Bitmap? {
    if let frame, frame.look == image?.look { return frame.bitmap }
    return visiblePicture?.bitmap
  }
}

/// The appearance of an image: one with an equal look need not be drawn again.
struct ImageLook: Sendable, Hashable {
  let digest: SHA256Checksum
  let size: PixelSize
  let frameCount: Int
  let processors: [ImageProcessor]
  let scale: Double
}

extension LoadedImage {
  var look: ImageLook {
    ImageLook(
      digest: digest,
      size: picture.size,
      frameCount: picture.frames.count,
      processors: processors,
      scale: scale
    )
  }
}
