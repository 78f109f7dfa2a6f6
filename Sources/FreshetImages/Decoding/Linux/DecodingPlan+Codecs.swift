#if Images && !canImport(Darwin)
import Freshet

extension DecodingPlan {
  /// Decodes a file with the codec of its format.
  func picture(of bytes: [UInt8]) throws(ImageError) -> Picture {
    guard let format = PictureFormat(bytes) else {
      throw .unsupported("it is not a PNG, JPEG, GIF or WebP file")
    }
    let metadata = PictureMetadata(bytes, format)
    let colors = ColorConversion(metadata)
    return switch format {
    case .png:
      try PNGCodec(bytes: bytes, metadata: metadata, colors: colors, plan: self).picture()
    case .jpeg:
      try JPEGCodec(bytes: bytes, metadata: metadata, colors: colors, plan: self).picture()
    case .gif: try GIFCodec(bytes: bytes, metadata: metadata, plan: self).picture()
    case .webP:
      try WebPCodec(bytes: bytes, metadata: metadata, colors: colors, plan: self).picture()
    }
  }

  /// Checks a picture's size before any memory is allocated for its pixels.
  func finishing(
    _ size: PixelSize,
    _ metadata: PictureMetadata,
    _ colors: ColorConversion? = nil
  ) throws(ImageError) -> Finishing {
    guard size.count > 0 else { throw .damaged("it has no pixels") }
    try limits.check(pixels: size)
    return Finishing(stored: size, metadata: metadata, colors: colors, plan: self)
  }
}
#endif
