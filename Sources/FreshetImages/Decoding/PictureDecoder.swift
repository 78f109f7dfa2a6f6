public import FreshetEssentials

/// Decodes bytes to pictures.
///
/// A decoder is called on several background threads at the same time, never on the main actor. It
/// checks ``DecodingPlan/limits`` before it allocates memory for pixels.
public protocol PictureDecoder: Sendable {
  /// Decodes a picture.
  ///
  /// - Parameters:
  ///   - data: The bytes of a file.
  ///   - plan: The target size, the animation and the limits.
  /// - Returns: The picture: upright, in sRGB, reduced to the plan's target.
  /// - Throws: ``ImageError/unsupported(_:)``, ``ImageError/damaged(_:)`` or ``ImageError/tooLarge(_:)``.
  func decode(_ data: Data, _ plan: DecodingPlan) throws(ImageError) -> Picture

  /// Decodes a preview of the whole picture from the beginning of a file; `nil` by default.
  ///
  /// It is called a few times while a file arrives, if ``ImageOptions/arrival-swift.property`` requests it.
  ///
  /// - Parameters:
  ///   - beginning: The bytes that have arrived.
  ///   - plan: The target size, the animation and the limits.
  /// - Returns: The whole picture at a lower quality; `nil` if the format does not allow that, or there
  ///   are too few bytes.
  /// - Throws: ``ImageError``, which is ignored.
  func preview(of beginning: Data, _ plan: DecodingPlan) throws(ImageError) -> Picture?
}

extension PictureDecoder {
  /// Returns `nil`: there is no preview.
  public func preview(of beginning: Data, _ plan: DecodingPlan) throws(ImageError) -> Picture? {
    nil
  }
}

/// The target size, the animation and the limits of a decoding.
public struct DecodingPlan: Sendable, Hashable {
  /// The box that the picture will fill; its full size if `nil`, the default.
  public var target: ImageTarget?
  /// The frames to decode; all of them by default.
  public var animation = ImageRequest.Animation.frames
  /// The limits of the decoding.
  public var limits = DecodingLimits()
  /// The flag that ends the decoding early.
  var cancellation = DecodingCancellation()

  /// Creates the default plan, changed by a closure.
  public init(_ configure: (inout DecodingPlan) -> Void = { _ in }) {
    configure(&self)
  }
}
