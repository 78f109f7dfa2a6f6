import FreshetImages

/// The colours by which the screen tells what it shows.
enum GalleryColor {
  case placeholder
  case failure
  case picture(Int, version: Int)

  /// Red, green and blue.
  var bytes: [UInt8] {
    switch self {
    case .placeholder: [200, 200, 200]
    case .failure: [255, 0, 255]
    case .picture(let number, let version):
      [UInt8(number * 37 % 200), version == 1 ? 40 : 220, UInt8(number * 91 % 200)]
    }
  }

  /// One pixel, which fills its cell.
  var bitmap: Bitmap? {
    Bitmap(size: PixelSize(width: 1, height: 1), pixels: bytes + [255])
  }
}
