#if Images && !canImport(Darwin)
import CTurboJPEG

/// Decodes JPEG with libjpeg-turbo's own interface, which handles each failure inside the library.
///
/// The size is reduced by eighths while the coefficients are transformed, before there are pixels.
struct JPEGCodec {
  let bytes: [UInt8]
  let metadata: PictureMetadata
  let colors: ColorConversion?
  let plan: DecodingPlan

  private struct Header {
    var size = PixelSize(width: 0, height: 0)
    var hasInks = false
  }

  func picture() throws(ImageError) -> Picture {
    guard let handle = tjInitDecompress() else {
      throw .damaged("libjpeg-turbo could not be started")
    }
    defer { tjDestroy(handle) }
    let header = try header(handle)
    // The profile of inks is applied to them, and one for other colours is ignored.
    let finishing = try plan.finishing(header.size, metadata, header.hasInks ? nil : colors)
    let scaled = Self.scaledSize(of: header.size, for: finishing.wanted)
    if metadata.holdsCoefficients {
      try plan.limits.check(passes: ProgressiveScans.scans(in: bytes).count, over: header.size)
    }
    let coefficients = metadata.holdsCoefficients ? Self.coefficientBytes(of: header.size) : 0
    try plan.limits.check(memory: finishing.cost(of: scaled) + coefficients)
    try plan.cancellation.check()
    let raster = try raster(handle, scaled, hasInks: header.hasInks)
    return Picture(
      Picture.Frame(finishing.bitmap(raster)),
      sourceSize: finishing.sourceSize
    )
  }

  /// Returns the memory for two bytes per coefficient of three colours, or of four inks, in whole blocks.
  private static func coefficientBytes(of size: PixelSize) -> Int {
    let (width, height) = ((size.width + 31) / 32 * 32, (size.height + 31) / 32 * 32)
    return width * height * 8
  }

  private func header(_ handle: tjhandle) throws(ImageError) -> Header {
    var (width, height, subsampling, colors) = (Int32(0), Int32(0), Int32(0), Int32(0))
    // It also fails for samplings that it has no name for, which it decodes, after it has set the size.
    tjDecompressHeader3(
      handle,
      bytes,
      UInt(bytes.count),
      &width,
      &height,
      &subsampling,
      &colors
    )
    guard width > 0, height > 0 else { throw .damaged(Self.message(handle)) }
    return Header(
      size: PixelSize(width: Int(width), height: Int(height)),
      hasInks: colors == TJCS_CMYK.rawValue || colors == TJCS_YCCK.rawValue
    )
  }

  private func raster(
    _ handle: tjhandle,
    _ size: PixelSize,
    hasInks: Bool
  ) throws(ImageError) -> Raster {
    let format = hasInks ? TJPF_CMYK : TJPF_RGBA
    var raster = try Raster(size, isOpaque: true) { pixels throws(ImageError) in
      guard var message = decode(bytes, handle, to: pixels, size, format) else { return }
      if message.contains("extraneous bytes") {
        // The message is that of the first warning, which may hide another one.
        let rest = ProgressiveScans.withoutStrayBytes(bytes)
        pixels.update(repeating: 0)
        try plan.cancellation.check()
        guard let next = decode(rest, handle, to: pixels, size, format) else { return }
        message = next
      }
      // A failure after a warning has the code of the warning, but leaves rows without alpha.
      let isWarning = tjGetErrorCode(handle) == TJERR_WARNING.rawValue && !hasInks
      let isWhole = isWarning && pixels.last == 255
      // Warnings are harmless, except for those about missing data, such as the end in place of a restart.
      let isCut = ["premature", "found marker 0xd9"].contains { message.lowercased().contains($0) }
      guard isWhole, !isCut, ProgressiveScans.scans(in: bytes).isWhole else {
        throw .damaged(message)
      }
    }
    guard hasInks else { return raster }
    raster.bytes.withUnsafeMutableBufferPointer { pixels in
      ColorConversion.convertInks(
        pixels,
        areInverted: metadata.hasInvertedInks,
        profile: metadata.profile
      )
    }
    return raster
  }

  /// Writes the pixels, and returns the message of the first warning or of the failure, if any.
  private func decode(
    _ bytes: [UInt8],
    _ handle: tjhandle,
    to pixels: UnsafeMutableBufferPointer<UInt8>,
    _ size: PixelSize,
    _ format: TJPF
  ) -> String? {
    let status = tjDecompress2(
      handle,
      bytes,
      UInt(bytes.count),
      pixels.baseAddress,
      Int32(size.width),
      0,
      Int32(size.height),
      format.rawValue,
      TJFLAG_LIMITSCANS
    )
    return status == 0 ? nil : Self.message(handle)
  }

  /// Returns the smallest size that the library can produce and that is at least the wanted one.
  private static func scaledSize(of size: PixelSize, for wanted: PixelSize) -> PixelSize {
    var count = Int32(0)
    guard let factors = tjGetScalingFactors(&count) else { return size }
    let sizes = UnsafeBufferPointer(start: factors, count: Int(count))
      .filter { $0.num <= $0.denom }
      .map { factor in
        PixelSize(
          width: scaled(size.width, factor),
          height: scaled(size.height, factor)
        )
      }
      .filter { $0.width >= wanted.width && $0.height >= wanted.height }
    return sizes.min { $0.count < $1.count } ?? size
  }

  private static func scaled(_ side: Int, _ factor: tjscalingfactor) -> Int {
    (side * Int(factor.num) + Int(factor.denom) - 1) / Int(factor.denom)
  }

  private static func message(_ handle: tjhandle) -> String {
    tjGetErrorStr2(handle).map { String(cString: $0) } ?? "libjpeg-turbo failed"
  }
}
#endif
