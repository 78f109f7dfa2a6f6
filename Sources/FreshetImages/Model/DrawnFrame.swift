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
