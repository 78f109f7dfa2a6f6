/// A frame whose time has come, of the image that it belongs to.
struct DrawnFrame: Sendable {
  let look: ImageLook
  let bitmap: Bitmap
}

extension ImageContent {
  /// What a shell draws: the frame if it is one of this image, or else the picture's first one.
  func bitmap(at frame: DrawnFrame?) -> Bitmap? {
    if let frame, frame.look == image?.look { return frame.bitmap }
    return visiblePicture?.bitmap
  }
}
