import Freshet

/// What can be seen of an image: two with the same look need not be drawn one after the other.
struct ImageLook: Sendable, Hashable {
  let digest: SHA256Digest
  let size: PixelSize
  let frameCount: Int
}

extension LoadedImage {
  var look: ImageLook {
    ImageLook(digest: digest, size: picture.size, frameCount: picture.frames.count)
  }
}
