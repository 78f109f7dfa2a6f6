public import FreshetEssentials

/// The decoder of the platform.
///
/// It uses ImageIO on Apple platforms; on Linux libpng, libjpeg-turbo, giflib and libwebp, which need
/// the package trait `Images`. On Linux without the trait, every picture fails with
/// ``ImageError/unsupported(_:)``.
public struct SystemPictureDecoder: PictureDecoder {
  /// Creates the decoder.
  public init() {}

  /// Decodes a picture; its format is detected from its first bytes.
  ///
  /// - Parameters:
  ///   - data: The bytes of a file.
  ///   - plan: The target size, the animation and the limits.
  /// - Returns: The picture: upright, in sRGB, reduced to the plan's target.
  /// - Throws: ``ImageError/unsupported(_:)``, ``ImageError/damaged(_:)`` or ``ImageError/tooLarge(_:)``.
  public func decode(_ data: Data, _ plan: DecodingPlan) throws(ImageError) -> Picture {
    try plan.limits.check(bytes: data.count)
    #if canImport(ImageIO)
    return try ImageIODecoding(data, plan).picture()
    #elseif Images
    // The codecs need contiguous memory.
    return try plan.picture(of: Array(data))
    #else
    throw .unsupported("enable the package trait Images, which decodes pictures on Linux")
    #endif
  }

  /// Decodes the scans of a progressive JPEG that have arrived; other files have no preview.
  ///
  /// - Parameters:
  ///   - beginning: The bytes that have arrived.
  ///   - plan: The target size, the animation and the limits.
  /// - Returns: The whole picture at a lower quality, or `nil`.
  /// - Throws: ``ImageError``, which is ignored.
  public func preview(of beginning: Data, _ plan: DecodingPlan) throws(ImageError) -> Picture? {
    guard let file = ProgressiveScans.file(of: Array(beginning)) else { return nil }
    return try decode(Data(file), plan)
  }
}
