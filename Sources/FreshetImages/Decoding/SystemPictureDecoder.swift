public import Foundation

/// The platform's decoder: ImageIO on Apple platforms; on Linux libpng, libjpeg-turbo, giflib and
/// libwebp, behind the package trait `Images`.
///
/// On Linux without the trait it knows no format, and each picture fails with
/// ``ImageError/unsupported(_:)``.
public struct SystemPictureDecoder: PictureDecoder {
  /// Makes the decoder.
  public init() {}

  /// Decodes a picture, whatever its file is called: the format is seen in its first bytes.
  ///
  /// - Parameters:
  ///   - data: The bytes of a file.
  ///   - plan: How much of it is wanted, and what it may cost.
  /// - Returns: The picture: upright, in sRGB, reduced to the plan's target.
  /// - Throws: ``ImageError/unsupported(_:)``, ``ImageError/damaged(_:)`` or
  ///   ``ImageError/tooLarge(_:)``.
  public func decode(_ data: Data, _ plan: DecodingPlan) throws(ImageError) -> Picture {
    try plan.limits.check(bytes: data.count)
    #if canImport(ImageIO)
    return try ImageIODecoding(data, plan).picture()
    #elseif Images
    // Codecs read from one stretch of memory.
    return try CodecDecoding(Array(data), plan).picture()
    #else
    throw .unsupported("on Linux it needs the package trait Images")
    #endif
  }

  /// Decodes the scans of a progressive JPEG that are there; of other files there is nothing to show.
  ///
  /// - Parameters:
  ///   - beginning: The bytes that have arrived.
  ///   - plan: How much of it is wanted, and what it may cost.
  /// - Returns: The whole picture, coarser, or `nil`.
  /// - Throws: ``ImageError``, which has no consequence.
  public func preview(of beginning: Data, _ plan: DecodingPlan) throws(ImageError) -> Picture? {
    guard let file = ProgressiveScans.file(of: Array(beginning)) else { return nil }
    return try decode(Data(file), plan)
  }
}
