#if Images && !canImport(Darwin)
/// Decodes one file with the codec of its format.
struct CodecDecoding {
  let bytes: [UInt8]
  let plan: DecodingPlan
  let format: PictureFormat

  init(_ bytes: [UInt8], _ plan: DecodingPlan) throws(ImageError) {
    guard let format = PictureFormat(bytes) else {
      throw .unsupported("it is not a PNG, JPEG, GIF or WebP file")
    }
    self.bytes = bytes
    self.plan = plan
    self.format = format
  }

  func picture() throws(ImageError) -> Picture {
    let metadata = PictureMetadata(bytes, format)
    let colors = ColorConversion(metadata)
    return switch format {
    case .png:
      try PNGCodec(bytes: bytes, metadata: metadata, colors: colors, plan: plan).picture()
    case .jpeg:
      try JPEGCodec(bytes: bytes, metadata: metadata, colors: colors, plan: plan).picture()
    case .gif: try GIFCodec(bytes: bytes, metadata: metadata, plan: plan).picture()
    case .webP:
      try WebPCodec(bytes: bytes, metadata: metadata, colors: colors, plan: plan).picture()
    }
  }
}

extension DecodingPlan {
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
