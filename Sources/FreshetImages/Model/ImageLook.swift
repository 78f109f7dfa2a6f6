import Freshet

/// The appearance of an image: one with an equal look need not be drawn again.
struct ImageLook: Sendable, Hashable {
  let digest: SHA256Checksum
  let size: PixelSize
  let frameCount: Int
  let processors: [ImageProcessor]
}

extension LoadedImage {
  var look: ImageLook {
    ImageLook(
      digest: digest,
      size: picture.size,
      frameCount: picture.frames.count,
      processors: processors
    )
  }
}
